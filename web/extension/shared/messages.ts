// What the background asks of hosts in documents, and what they answer.

/** HostRequest is to the host of one document. */
export type HostRequest =
  | { readonly to: "host"; readonly document: string; readonly is: "ask"; readonly op: string; readonly first: number; readonly args: string }
  | { readonly to: "host"; readonly document: string; readonly is: "expect"; readonly word: string }
  | { readonly to: "host"; readonly document: string; readonly is: "named"; readonly word: string; readonly origin: string; readonly number: string }
  // Host is the id of the document that the frame shows, "" when no host is in it.
  // Siblings are the frames directly within the document, as made; sure: they were
  // the same before and after this look was answered "supposed".
  | { readonly to: "host"; readonly document: string; readonly is: "find"; readonly look: string; readonly frame: number; readonly siblings: readonly number[]; readonly host: string; readonly number: string; readonly sure: boolean };

/** HostReply answers it: "gone" when it was for another document. */
export type HostReply =
  | { readonly is: "answer"; readonly answer: string }
  | { readonly is: "done" }
  | { readonly is: "supposed" }
  | { readonly is: "missing" }
  | { readonly is: "gone" };

/** Entered is what a host says of its document when it is put in. */
export interface Entered {
  readonly is: "host";
  readonly document: string; // an id of its own
  readonly origin: string;
  readonly blank: boolean;
}

export function isEntered(x: unknown): x is Entered {
  return typeof x === "object" && x !== null && "is" in x && x.is === "host";
}

export function isHostReply(x: unknown): x is HostReply {
  return typeof x === "object" && x !== null && "is" in x;
}

export function isHostRequest(x: unknown): x is HostRequest {
  return typeof x === "object" && x !== null && "to" in x && x.to === "host";
}
