/** Fault is an error that whoever called an op may read; code is one of browser.Codes. */
export class Fault extends Error {
  readonly code: string;
  readonly hint: string;

  constructor(code: string, message: string, hint = "") {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
