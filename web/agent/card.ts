import type { PoseCard } from "../shared/protocol.gen";
import { attachShadow, newHTML, setAttribute } from "../shared/safe-dom";
import { sheetOf } from "./overlay-style";

// The parts of what is shown of a question, in a closed shadow tree.

/** Parts are what the rest works with. */
export interface Parts {
  readonly host: HTMLElement;
  readonly root: ShadowRoot;
  readonly stage: HTMLElement;
  readonly ring: HTMLElement;
  readonly card: HTMLElement;
  readonly head: HTMLElement; // by which the card is dragged
  readonly move: HTMLElement;
  readonly value: HTMLElement;
  readonly lost: HTMLElement; // tells that what was marked is gone
  readonly choice: HTMLElement;
  readonly done: HTMLElement;
  readonly cannot: HTMLElement;
  readonly why: HTMLElement;
  readonly note: HTMLInputElement;
  readonly send: HTMLElement;
  readonly back: HTMLElement;
  /** tell fills the card; null hides it. */
  tell(card: PoseCard | null): void;
}

function make(name: string, cls: string, text = ""): HTMLElement {
  const e = newHTML(name);
  if (cls !== "") e.className = cls;
  if (text !== "") e.textContent = text;
  return e;
}

function button(cls: string, text: string): HTMLElement {
  const b = make("button", cls, text);
  setAttribute(b, "type", "button");
  return b;
}

/** makeParts makes them, once for a document. */
export function makeParts(): Parts {
  const host = newHTML("div");
  const root = attachShadow(host, { mode: "closed" });
  dress(root);
  const stage = make("div", "stage");
  const ring = make("div", "ring");
  const card = make("div", "card");
  setAttribute(card, "role", "dialog");
  setAttribute(card, "aria-modal", "false");
  setAttribute(card, "aria-labelledby", "who");
  setAttribute(card, "aria-describedby", "told");
  const head = make("div", "head"), who = make("p", "who"), move = button("move", "Move");
  who.id = "who";
  setAttribute(move, "aria-label", "Move this box elsewhere");
  head.append(who, move);
  const body = make("div", "body"), told = make("div", "");
  told.id = "told";
  setAttribute(told, "aria-live", "assertive");
  const task = make("p", "task"), value = make("p", "value"), message = make("p", "message");
  const lost = make("p", "small", "What was marked is not on the page any more.");
  const small = make("p", "small");
  const choice = make("div", "row"), done = button("first", "Done"), cannot = button("", "Cannot");
  choice.append(done, cannot);
  const why = make("div", "");
  const label = make("label", "", "Why not? (You may leave this empty.)"), note = newHTML("input");
  if (!(note instanceof HTMLInputElement)) throw new TypeError("no input");
  note.maxLength = 300;
  setAttribute(note, "autocomplete", "off");
  label.append(note);
  const row = make("div", "row"), send = button("first", "Send"), back = button("", "Back");
  row.append(send, back);
  why.append(label, row);
  body.append(told, lost, small, choice, why);
  card.append(head, body);
  stage.append(ring, card);
  root.append(stage);
  return {
    host, root, stage, ring, card, head, move, value, lost, choice, done, cannot, why, note, send, back,
    tell(c) {
      card.hidden = c === null;
      choice.hidden = false;
      why.hidden = true;
      note.value = "";
      lost.hidden = true;
      // What is read aloud comes into the page after what is to announce it.
      told.replaceChildren();
      if (c === null) return;
      who.textContent = c.head;
      small.textContent = c.small ?? "";
      small.hidden = small.textContent === "";
      task.textContent = c.task;
      value.textContent = c.value ?? "";
      message.textContent = c.message ?? "";
      told.append(...[task, value, message].filter((e) => e.textContent !== ""));
    },
  };
}

// dress styles the tree; where sheets cannot be shared with the page's world, an
// element does.
function dress(root: ShadowRoot): void {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(sheetOf());
    root.adoptedStyleSheets = [sheet];
  } catch {
    root.append(make("style", "", sheetOf()));
  }
}
