// How both ends of the link prove that they know the token, without sending it.

const text = new TextEncoder();

/** base64url is without padding. */
export function base64url(bytes: Uint8Array): string {
  let s = "";
  for (const b of bytes) s += String.fromCharCode(b);
  return btoa(s).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** newNonce is 32 random bytes in base64url. */
export function newNonce(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

/** prove is wire.Proof of a token. */
export async function prove(token: string, role: "bridge" | "browser", browserNonce: string, bridgeNonce: string): Promise<string> {
  const secret = await crypto.subtle.digest("SHA-256", text.encode(token));
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return base64url(new Uint8Array(await crypto.subtle.sign("HMAC", key, text.encode(`${role}\n${browserNonce}\n${bridgeNonce}`))));
}

/** same compares two proofs in a time that does not tell how alike they are. */
export function same(a: string, b: string): boolean {
  let different = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) different |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return different === 0;
}
