// What the button of the extension shows.

/** Look is what the button shows on one tab. */
export interface Look {
  readonly text: string;
  readonly colour: string;
  readonly title: string;
}

/** Standing is what it shows it of. */
export interface Standing {
  readonly up: boolean;
  readonly connected: boolean;
  readonly allowed: boolean;
  readonly acting: boolean;
}

/** lookOf is how the button looks. */
export function lookOf(s: Standing): Look {
  if (s.up) return { text: "up", colour: "#b3261e", title: "drawbridge is up: agents can do nothing" };
  if (!s.connected) return { text: "off", colour: "#6b7280", title: s.allowed ? "drawbridge is not connected; this tab is allowed" : "drawbridge is not connected" };
  if (!s.allowed) return { text: "", colour: "#6b7280", title: "drawbridge: this tab is private" };
  if (s.acting) return { text: "act", colour: "#1a5fd0", title: "drawbridge: an agent is acting on this tab" };
  return { text: "on", colour: "#14713c", title: "drawbridge: agents can see and use this tab" };
}
