import { brand } from "../shared/safe";
import { construct, defineProperty, EventOf, get, isNothing, lend, Notes, TypeErrorOf } from "../shared/clean";
import { Call, Dictionary } from "./idl";

// The events that tell of tools, as classes that a page may make too.

const isEvent = brand(Event.prototype, "type");
const names = new Notes<Event, string>();

type EventClass = (this: unknown, type: unknown, init?: unknown) => Event;

function eventClass(name: string): EventClass {
  const { [name]: made }: Record<string, EventClass> = {
    [name]: function (type: unknown, init?: unknown): Event {
      const call = new Call(`Failed to construct '${name}'`);
      if (isNothing(new.target)) throw call.bad("Please use the 'new' operator, this DOM object constructor cannot be called as a function.");
      call.needs(1, arguments.length);
      const toolName = new Dictionary(call, `${name}Init`, init, false).text("toolName", false);
      const e: unknown = construct(EventOf, [type, init], new.target);
      if (!isEvent(e)) throw new TypeErrorOf("Illegal constructor");
      names.set(e, toolName ?? "");
      return e;
    },
  };
  if (made === undefined) throw new TypeErrorOf(name);
  return made;
}

const members = {
  get toolName(): string {
    return nameIn(this);
  },
};

function nameIn(e: unknown): string {
  const name = isEvent(e) ? names.get(e) : undefined;
  if (name === undefined) throw new TypeErrorOf("Illegal invocation");
  return name;
}

/** asInterface makes a function look like a class of the browser. */
export function asInterface(made: object, name: string, parent: object, length: number): void {
  const proto: unknown = get(made, "prototype");
  if (typeof proto !== "object" || proto === null) return;
  Object.setPrototypeOf(made, parent);
  Object.setPrototypeOf(proto, get(parent, "prototype"));
  defineProperty(made, "length", { value: length, configurable: true });
  defineProperty(made, "prototype", { writable: false });
  defineProperty(proto, Symbol.toStringTag, { value: name, configurable: true });
  defineProperty(window, name, { value: made, writable: true, configurable: true });
}

const ToolActivatedEvent = eventClass("ToolActivatedEvent");
const ToolCancelEvent = eventClass("ToolCancelEvent");

/** installEvents gives the window both classes. */
export function installEvents(): void {
  for (const [name, made] of Object.entries({ ToolActivatedEvent, ToolCancelEvent })) {
    asInterface(made, name, EventOf, 1);
    const proto: unknown = get(made, "prototype");
    if (typeof proto === "object" && proto !== null) lend(proto, members);
  }
}

function make(of: EventClass, type: string, name: string): Event {
  const e: unknown = construct(of, [type, { toolName: name }]);
  return isEvent(e) ? e : new EventOf(type);
}

export function activated(name: string): Event {
  return make(ToolActivatedEvent, "toolactivated", name);
}

export function cancelled(name: string): Event {
  return make(ToolCancelEvent, "toolcancel", name);
}
