import { getAttribute, hasAttribute, isConnected, isHTML, isInput, isSelect, isTextArea, styleOf, textContent } from "../shared/safe-dom";
import { quote } from "../shared/quote";
import { labelsOf } from "./labels";
import { current, isEditingHost } from "./values";

// Fields whose values are nobody's to read, and keeping those values out of
// what is said of the rest of the page.

const tokens = /(^|\s)(current-password|new-password|one-time-code|cc-number|cc-csc|cc-exp|cc-exp-month|cc-exp-year)(\s|$)/;
const words = new RegExp(
  "\\b(pass ?(word|wort|wd|code|phrase|key)s?|pwd?|passw|kennwort|contrasena|senha|mot de passe|pin|otp|totp|mfa|2fa|tfa|one time (code|pass\\w*)|" +
    "(verification|security|authentication|authenticator|auth|sms|2fa|login) (code|number)|c ?v ?[cv] ?2?|csc|card (security|verification) \\w+|" +
    "(card|cc|ccard|credit card|debit card) ?(number|num|no|nr|exp\\w*|csc|cvc|cvv)|ccnum\\w*|card expir\\w*)\\b",
);
const elsewhere = /密码|密碼|パスワード|暗証番号|認証コード|验证码|驗證碼|비밀번호|인증번호|пароль|пин-код|contraseña/i;
const typed = new Set(["text", "tel", "number", "password"]);

const wasSecret = new WeakSet<Element>();
let verdicts = new WeakMap<Element, boolean>();

/** forgetVerdicts makes the next look at fields a new one. */
export function forgetVerdicts(): void {
  verdicts = new WeakMap();
}

/**
 * isSecret tells whether a field's value must not be shown: a password, a code
 * for one time, what is on a payment card. A field stays secret when the page
 * turns it into a plain one.
 */
export function isSecret(e: Element): boolean {
  const input = isInput(e);
  if (!input && !isTextArea(e) && !isSelect(e) && !isEditingHost(e)) return false;
  if (wasSecret.has(e)) return true;
  const had = verdicts.get(e);
  if (had !== undefined) return had;
  const secret = (input && e.type === "password") || tokens.test((getAttribute(e, "autocomplete") ?? "").toLowerCase()) || masked(e) || (input && typed.has(e.type) && soundsSecret(e));
  verdicts.set(e, secret);
  if (secret) learn(e);
  return secret;
}

function masked(e: Element): boolean {
  if (!hasAttribute(e, "class") && !hasAttribute(e, "style") && !hasAttribute(e, "id")) return false;
  const security = styleOf(e).getPropertyValue("-webkit-text-security");
  return security !== "" && security !== "none";
}

function soundsSecret(e: HTMLInputElement): boolean {
  // One box for each digit is how pages ask for codes.
  if (getAttribute(e, "maxlength") === "1" && (e.type !== "text" || getAttribute(e, "inputmode") === "numeric")) return true;
  for (const name of ["name", "id", "aria-label", "placeholder"]) if (says(getAttribute(e, name))) return true;
  return labelsOf(e).some((l) => says(textContent(l)));
}

const longestLabel = 80;

function says(s: string | null): boolean {
  if (s === null || s.length > longestLabel) return false;
  const plain = s.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().normalize("NFD").replace(/[\u0300-\u036f]/g, "").replace(/[^\p{L}\d]+/gu, " ");
  return words.test(plain) || elsewhere.test(s);
}

/** secretLength is how a secret value is told. */
export function secretLength(value: string): string {
  const n = Array.from(value).length;
  return n === 1 ? "(1 character)" : `(${String(n)} characters)`;
}

// Secret fields that were met, and what was put into such last.
const met: WeakRef<Element>[] = [];
const put: string[] = [];
const most = 64;

function learn(e: Element): void {
  wasSecret.add(e);
  if (!isSelect(e)) met.push(new WeakRef(e));
  if (met.length > most) met.shift();
}

/** keepSecret notes what is put into a secret field. */
export function keepSecret(value: string): void {
  if (!put.includes(value)) put.push(value);
  if (put.length > most) put.shift();
}

/** withoutSecret is what an attribute of a field says, without the field's secret value. */
export function withoutSecret(e: Element, said: string): string {
  if (!isSecret(e) || isSelect(e)) return said;
  const value = current(e);
  return value.length < 3 ? said : said.replaceAll(value, dots(value));
}

function dots(s: string): string {
  return "•".repeat(s.length);
}

// telling: words that stand in many texts would make these unreadable, and
// tell what the secret is.
function telling(value: string): boolean {
  return value.length >= 12 || (value.length >= 6 && /[^a-zA-Z]/.test(value));
}

/** Mask puts dots for secrets. */
export type Mask = (s: string) => string;

/** masking is the mask for the secrets of the document, null where it has none. */
export function masking(): Mask | null {
  const values = new Set(put);
  for (const ref of met) {
    const e = ref.deref();
    if (e !== undefined && isConnected(e) && (isInput(e) || isTextArea(e) || isHTML(e))) values.add(current(e));
  }
  const patterns: RegExp[] = [];
  for (const v of [...values].filter(telling).sort((a, b) => b.length - a.length)) {
    const forms = new Set([v, quote(v).slice(1, -1), v.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c] ?? "&quot;")]);
    for (const f of forms) patterns.push(new RegExp(literal(f), "g"));
    const digits = v.replace(/[ -]/g, "");
    if (/^\d{12,}$/.test(digits)) patterns.push(new RegExp([...digits].join("[ -]?"), "g"));
  }
  return patterns.length === 0 ? null : (s) => patterns.reduce((t, p) => t.replace(p, dots), s);
}

function literal(s: string): string {
  const plain = s.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  return /^\d+$/.test(s) ? `(?<!\\d)${plain}(?!\\d)` : plain;
}
