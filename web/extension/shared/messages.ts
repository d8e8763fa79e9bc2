// What the background asks of hosts in documents, and what they answer.

/** HostRequest is to the host of one document. */
export type HostRequest =
  | { readonly to: "host"; readonly document: string; readonly is: "ask"; readonly op: string; readonly first: number; readonly args: string }
  | { readonly to: "host"; readonly document: string; readonly is: "expect"; readonly word: string; readonly number: string }
  | { readonly to: "host"; readonly document: string; readonly is: "named"; readonly word: string }
  | { readonly to: "host"; readonly document: string; readonly is: "find"; readonly frame: number; readonly siblings: readonly number[]; readonly number: string };

/** HostReply answers it: "gone" when it was for another document. */
export type HostReply =
  | { readonly is: "answer"; readonly answer: string }
  | { readonly is: "done" }
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
