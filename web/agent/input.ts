import type { CarryGiven, Given, InputArgs, InputReply, KeyGiven, MouseGiven, TabGiven } from "../shared/protocol.gen";
import { isConnected } from "../shared/safe-dom";
import { focused, hit } from "../shared/tree";
import { catchChoosers } from "./choosers";
import { carry, isDragging, overFrame, wants } from "./dragged";
import { takeOpenings } from "./following";
import { frameOf, isFrame, ownerIn } from "./frames";
import { givenKey, givenText } from "./keyboard";
import { placeOf } from "./places";
import { enterFrame, givenMouse, lastPressed, leave, pressFrame, whatIsOver } from "./pointer";
import { tabOn, tabStart } from "./tabbing";

// Input by script: each event goes to what it would go to, until one is for
// another document.

// The frame that has the mouse until its button goes up.
let holding: Element | null = null;
// The frame that what is carried was over last.
let carriedOver = "";

/** input gives events in order, and tells how far it got. */
export function input(args: InputArgs): InputReply {
  const reply = given(args), opens = takeOpenings();
  return opens.length === 0 ? reply : { ...reply, opens };
}

function given(args: InputArgs): InputReply {
  let left = "", effect = "";
  catchChoosers();
  const total = args.events.length;
  for (let i = 0; i < total; i++) {
    const g = args.events[i];
    if (g === undefined) break;
    const was = frameUnder();
    const reply = one(g, i);
    if (was !== "" && was !== frameUnder()) left = was;
    if (reply.effect !== undefined) effect = reply.effect;
    const stops = reply.done === i || reply.tab !== undefined;
    if (stops || (left !== "" && i + 1 < total)) return { ...reply, ...(left === "" ? {} : { left }), ...(effect === "" ? {} : { effect }) };
  }
  return { done: total, ...(left === "" ? {} : { left }), ...(effect === "" ? {} : { effect }) };
}

// frameUnder is the child frame that the mouse is in, "" for none.
function frameUnder(): string {
  if (carriedOver !== "") return carriedOver;
  const e = whatIsOver();
  return e !== null && isFrame(e) ? frameOf(e) : "";
}

function one(g: Given, i: number): InputReply {
  const done = { done: i + 1 };
  if (g.mouse !== undefined) return mouse(g.mouse, i);
  if (g.carry !== undefined) return carried(g.carry, i);
  if (g.tab !== undefined) return tabbed(g.tab, i);
  const e = focused();
  if (e !== null && isFrame(e)) return into(e, i, 0, 0);
  if (g.key !== undefined) return key(g.key, i);
  if (g.text !== undefined) givenText(g.text);
  return done;
}

function into(owner: Element, i: number, x: number, y: number): InputReply {
  const frame = frameOf(owner);
  return frame === "" ? { done: i, lost: true } : { done: i, frame, x, y };
}

function mouse(m: MouseGiven, i: number): InputReply {
  const done = { done: i + 1 };
  if (m.type === "leave") {
    leave(m);
    return done;
  }
  const held = m.hold === true && m.type !== "down" && holding !== null && isConnected(holding) ? holding : null;
  if (m.type === "up") holding = null;
  const at = held ?? hit(m.x, m.y);
  if (at === null || !isFrame(at) || isDragging()) {
    givenMouse(m);
    return done;
  }
  enterFrame(at, m);
  if (m.type === "down") {
    if (frameOf(at) !== "") pressFrame(at);
    holding = m.hold === true ? at : null;
  }
  const p = placeOf(at).inward({ x: m.x, y: m.y });
  return into(at, i, p.x, p.y);
}

function carried(c: CarryGiven, i: number): InputReply {
  if (c.type === "enter" || c.type === "over" || c.type === "drop") {
    const at = hit(c.x, c.y);
    if (at !== null && isFrame(at) && frameOf(at) !== "") {
      overFrame(at, c);
      carriedOver = c.type === "drop" ? "" : frameOf(at);
      const p = placeOf(at).inward({ x: c.x, y: c.y });
      return into(at, i, p.x, p.y);
    }
    if (wants(c)) return { done: i, wants: true };
  }
  carriedOver = "";
  const effect = carry(c);
  return effect === "" ? { done: i + 1 } : { done: i + 1, effect };
}

function key(k: KeyGiven, i: number): InputReply {
  return givenKey(k) === "tab" ? tab(tabStart(lastPressed()), (k.modifiers ?? 0) === 8, i) : { done: i + 1 };
}

function tabbed(t: TabGiven, i: number): InputReply {
  const from = t.from ?? "";
  return tab(from === "" ? null : ownerIn(from), t.back === true, i);
}

// tab moves the focus on; past the last place it goes on in the document
// around this one, or from the beginning.
function tab(from: Element | null, back: boolean, i: number): InputReply {
  let to = tabOn(from, back);
  if (to === null) {
    if (window !== window.top) return { done: i + 1, tab: back ? -1 : 1 };
    to = tabOn(null, back);
  }
  const frame = to !== null && isFrame(to) ? frameOf(to) : "";
  return frame === "" ? { done: i + 1 } : { done: i + 1, frame, tab: back ? -1 : 1 };
}
