// Firefox tells failures by number (nsresult); drawbridge knows them by
// Chromium's names.
const names: Readonly<Record<number, string>> = {
  0x804b0002: "ERR_ABORTED", // NS_BINDING_ABORTED
  0x804b0003: "ERR_ABORTED", // NS_BINDING_REDIRECTED
  0x804b0004: "ERR_ABORTED", // NS_BINDING_RETARGETED: it became a download
  0x804b000a: "ERR_INVALID_URL", // NS_ERROR_MALFORMED_URI
  0x804b000d: "ERR_CONNECTION_REFUSED", // NS_ERROR_CONNECTION_REFUSED
  0x804b000e: "ERR_TIMED_OUT", // NS_ERROR_NET_TIMEOUT
  0x804b0010: "ERR_INTERNET_DISCONNECTED", // NS_ERROR_OFFLINE
  0x804b0012: "ERR_UNKNOWN_URL_SCHEME", // NS_ERROR_UNKNOWN_PROTOCOL
  0x804b0013: "ERR_UNSAFE_PORT", // NS_ERROR_PORT_ACCESS_NOT_ALLOWED
  0x804b0014: "ERR_CONNECTION_RESET", // NS_ERROR_NET_RESET
  0x804b001b: "ERR_CONTENT_DECODING_FAILED", // NS_ERROR_INVALID_CONTENT_ENCODING
  0x804b001e: "ERR_NAME_NOT_RESOLVED", // NS_ERROR_UNKNOWN_HOST
  0x804b001f: "ERR_TOO_MANY_REDIRECTS", // NS_ERROR_REDIRECT_LOOP
  0x804b0021: "ERR_NAME_NOT_RESOLVED", // NS_ERROR_DNS_LOOKUP_QUEUE_FULL
  0x804b002a: "ERR_NAME_NOT_RESOLVED", // NS_ERROR_UNKNOWN_PROXY_HOST
  0x804b0047: "ERR_EMPTY_RESPONSE", // NS_ERROR_NET_INTERRUPT
  0x804b0048: "ERR_PROXY_CONNECTION_FAILED", // NS_ERROR_PROXY_CONNECTION_REFUSED
  0x804b004c: "ERR_CONNECTION_RESET", // NS_ERROR_NET_PARTIAL_TRANSFER
  0x80520012: "ERR_FILE_NOT_FOUND", // NS_ERROR_FILE_NOT_FOUND
  0x80520015: "ERR_ACCESS_DENIED", // NS_ERROR_FILE_ACCESS_DENIED
  0x805303f4: "ERR_BLOCKED_BY_CLIENT", // NS_ERROR_DOM_BAD_URI
  0x805d0021: "ERR_UNKNOWN_URL_SCHEME",
};

const securityModule = 0x5a; // its errors are 0x805a....
const certificateErrors = new Set([0x1ff6, 0x1ff3, 0x1ff5, 0x1fec, 0x2ff4, 0x3ffd, 0x3ff2, 0x3ff0, 0x3ff1, 0x3ffb, 0x3fff]);

/** aborted is the end of a navigation that another one, a download or an empty answer took the place of. */
export const aborted = "net::ERR_ABORTED";

/** netError is Chromium's name for what a browser says of a failed navigation. */
export function netError(said: string | undefined): string {
  if (said === undefined || said === "") return "net::ERR_FAILED";
  if (said.startsWith("net::")) return said;
  const code = /(\d{6,})/.exec(said)?.[1];
  if (code !== undefined) {
    const n = Number(code) >>> 0;
    const name = names[n];
    if (name !== undefined) return `net::${name}`;
    if (((n >>> 16) & 0xff) === securityModule) return certificateErrors.has(n & 0xffff) ? "net::ERR_CERT_INVALID" : "net::ERR_SSL_PROTOCOL_ERROR";
  }
  const named = /NS_[A-Z_]+/.exec(said)?.[0];
  return named !== undefined ? `net::${byName[named] ?? "ERR_FAILED"}` : "net::ERR_FAILED";
}

// As webRequest names them.
const byName: Readonly<Record<string, string>> = {
  NS_BINDING_ABORTED: "ERR_ABORTED",
  NS_BINDING_RETARGETED: "ERR_ABORTED",
  NS_ERROR_ABORT: "ERR_ABORTED",
  NS_ERROR_CONNECTION_REFUSED: "ERR_CONNECTION_REFUSED",
  NS_ERROR_NET_TIMEOUT: "ERR_TIMED_OUT",
  NS_ERROR_NET_RESET: "ERR_CONNECTION_RESET",
  NS_ERROR_NET_INTERRUPT: "ERR_EMPTY_RESPONSE",
  NS_ERROR_NET_EMPTY_RESPONSE: "ERR_EMPTY_RESPONSE",
  NS_ERROR_UNKNOWN_HOST: "ERR_NAME_NOT_RESOLVED",
  NS_ERROR_OFFLINE: "ERR_INTERNET_DISCONNECTED",
  NS_ERROR_REDIRECT_LOOP: "ERR_TOO_MANY_REDIRECTS",
  NS_ERROR_PORT_ACCESS_NOT_ALLOWED: "ERR_UNSAFE_PORT",
  NS_ERROR_BLOCKED_BY_POLICY: "ERR_BLOCKED_BY_CSP",
  NS_ERROR_DOM_BAD_URI: "ERR_BLOCKED_BY_CLIENT",
};
