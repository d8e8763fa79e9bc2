import { composedPath, dispatch, isConnected, isHiddenTab, listen, scroller } from "../shared/safe-dom";

// A browser may not draw a tab that nobody sees. A page then does not hear of
// scrolling, until the tab is shown.

const boxes = new Set<Element>(); // that were scrolled, and whose page has not heard
let listening = false;

/** scrolled notes that a box was scrolled. */
export function scrolled(box: Element): void {
  if (!isHiddenTab()) return;
  boxes.add(box);
  if (listening) return;
  listening = true;
  listen(window, "scroll", (e) => {
    const at = e.isTrusted ? composedPath(e)[0] : undefined;
    for (const b of boxes) if (at === (b === scroller() ? document : b)) boxes.delete(b);
  }, { capture: true, passive: true });
}

/** tellScrolled has the page hear of scrolling, in a tab that is still not drawn. */
export function tellScrolled(): void {
  const unheard = [...boxes];
  boxes.clear();
  if (!isHiddenTab()) return; // the browser tells
  for (const b of unheard) {
    if (b === scroller()) dispatch(document, new Event("scroll", { bubbles: true }));
    else if (isConnected(b)) dispatch(b, new Event("scroll"));
  }
}
