import type { MetReply, None, ShowArgs, WordArgs } from "../shared/protocol.gen";
import { dispatch, isInput, listen } from "../shared/safe-dom";
import { brand, getter } from "../shared/safe";
import { Fault } from "./faults";
import { anywhere, number } from "./refs";

// Worlds of one document share its elements and nothing else. One names an element
// to another by an event that has it, on the window, where the page cannot tell of
// which type it would have to listen to. Of all that events have, the submitter
// alone stays the same for elements in closed shadow roots, or in no document.

const submitter = getter(SubmitEvent.prototype, "submitter");
const isSubmit = brand(SubmitEvent.prototype, "submitter"); // the event may be of another frame's making

const expected = new Map<string, { came: boolean; element: Element | null }>();

/** show shows an element to another world. */
export function show(args: ShowArgs): None {
  const e = args.n === undefined ? null : anywhere(args.n);
  if (e !== null && !isInput(e)) throw new Fault("not_supported", "only fields are shown to the browser");
  dispatch(window, new SubmitEvent(args.word, { submitter: e }));
  return {};
}

/** expect listens for what another world shows. */
export function expect(args: WordArgs): None {
  const meeting: { came: boolean; element: Element | null } = { came: false, element: null };
  expected.set(args.word, meeting);
  listen(window, args.word, (e) => {
    meeting.came = true;
    meeting.element = isSubmit(e) ? submitter(e) : null;
  }, { once: true });
  return {};
}

/** met is what came with a word that was expected, which it is no more. */
export function met(args: WordArgs): MetReply {
  const meeting = expected.get(args.word);
  expected.delete(args.word);
  if (meeting?.came !== true) return { came: false };
  return meeting.element === null ? { came: true } : { came: true, n: number(meeting.element) };
}
