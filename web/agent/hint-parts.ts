import { newHTML, setAttribute } from "../shared/safe-dom";

// The parts of a hint. They are in the page's own tree, where its style sheets
// meet them and its policy may refuse ours: so each carries its looks itself,
// past all that a page can say.

/** HintParts are what the rest works with. */
export interface HintParts {
  readonly root: HTMLElement;
  readonly ring: HTMLElement;
  readonly callout: HTMLElement;
  readonly dismiss: HTMLElement;
  /** tell says a text. */
  tell(text: string): void;
  /** yield has presses go through it, or not. */
  yield(on: boolean): void;
}

type Looks = Readonly<Record<string, string>>;

const light: Looks = { paper: "#ffffff", ink: "#1b1f24", line: "#57606a", strong: "#0b57d0", halo: "#ffffff" };
const dark: Looks = { paper: "#22262c", ink: "#eef1f4", line: "#8b96a3", strong: "#8ab4f8", halo: "#10141a" };

function dress(e: HTMLElement, looks: Looks): void {
  e.style.setProperty("all", "initial", "important");
  for (const [name, value] of Object.entries(looks)) e.style.setProperty(name, value, "important");
}

function part(name: string, mark: string): HTMLElement {
  const e = newHTML(name);
  if (mark !== "") setAttribute(e, mark, "");
  return e;
}

/** makeHint makes the parts, once for a document. */
export function makeHint(): HintParts {
  const root = part("div", ""), ring = part("div", "data-mbk-hint-ring"), callout = part("div", "data-mbk-hint-callout");
  const said = part("div", "data-mbk-hint-text"), dismiss = part("button", "");
  root.id = "mbk-human-hint-root";
  setAttribute(ring, "aria-hidden", "true");
  setAttribute(said, "role", "status");
  setAttribute(said, "dir", "auto");
  setAttribute(dismiss, "type", "button");
  setAttribute(dismiss, "aria-label", "Dismiss hint");
  dismiss.textContent = "×";
  callout.append(said, dismiss);
  root.append(ring, callout);
  const look = (): void => {
    const c = window.matchMedia("(prefers-color-scheme: dark)").matches ? dark : light;
    const paper = c.paper ?? "", ink = c.ink ?? "", strong = c.strong ?? "", halo = c.halo ?? "", line = c.line ?? "";
    dress(root, {
      display: "block", position: "fixed", inset: "0", width: "auto", height: "auto", "max-width": "none", "max-height": "none", margin: "0",
      "z-index": "2147483647", overflow: "hidden", "pointer-events": "none",
    });
    dress(ring, {
      display: "block", position: "absolute", "box-sizing": "border-box", border: `3px solid ${strong}`, "border-radius": "8px",
      "box-shadow": `0 0 0 2px ${halo}, inset 0 0 0 1px ${halo}`, "pointer-events": "none",
    });
    dress(callout, {
      display: "flex", position: "absolute", left: "0", top: "0", "align-items": "flex-start", gap: "8px", "box-sizing": "border-box", width: "max-content",
      "max-width": "min(360px, calc(100% - 24px))", "max-height": "calc(100% - 24px)", overflow: "auto", padding: "10px 8px 10px 12px",
      "background-color": paper, color: ink, border: `1px solid ${line}`, "border-left": `5px solid ${strong}`, "border-radius": "10px",
      "box-shadow": "0 6px 24px rgba(0, 0, 0, .35)", "pointer-events": "auto", cursor: "default",
    });
    const font = "14px/1.45 system-ui, -apple-system, \"Segoe UI\", Roboto, \"Liberation Sans\", sans-serif";
    dress(said, { display: "block", flex: "1", "min-width": "0", font, color: ink, padding: "3px 0", "white-space": "pre-wrap", "overflow-wrap": "anywhere", "text-align": "start" });
    dress(dismiss, {
      display: "block", flex: "none", "box-sizing": "border-box", width: "28px", height: "28px", font, "font-size": "18px", "line-height": "24px", "text-align": "center",
      color: ink, "background-color": "transparent", border: `1px solid ${line}`, "border-radius": "6px", cursor: "pointer",
    });
    focusRing(false, strong);
  };
  const focusRing = (on: boolean, colour: string): void => {
    dismiss.style.setProperty("outline", on ? `3px solid ${colour}` : "none", "important");
    dismiss.style.setProperty("outline-offset", "1px", "important");
  };
  dismiss.addEventListener("focus", () => { focusRing(dismiss.matches(":focus-visible"), dismiss.style.color); });
  dismiss.addEventListener("blur", () => { focusRing(false, ""); });
  look();
  return {
    root, ring, callout, dismiss,
    tell(text) {
      look();
      // What is read aloud comes into the page after what is to announce it.
      said.textContent = text;
    },
    yield(on) {
      callout.style.setProperty("pointer-events", on ? "none" : "auto", "important");
    },
  };
}
