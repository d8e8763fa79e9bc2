// Writing text in lines, without ever looking back further than the last one.

/** Writer collects lines of text. */
export class Writer {
  private readonly parts: string[] = [];
  private size = 0;
  private line = "";
  private ends = 0; // line ends since the last text

  /** length is that of the text so far, in UTF-16 units. */
  get length(): number {
    return this.size + this.line.length;
  }

  /** fresh tells whether nothing is in the line yet. */
  get fresh(): boolean {
    return this.line.trim() === "";
  }

  /** last is the last character of the line, "" at its beginning. */
  get last(): string {
    return this.line.at(-1) ?? "";
  }

  /** put adds text in which white space counts as one space. */
  put(s: string): void {
    const t = s.replace(/\u00ad/g, "").replace(/[\s\u200b\ufeff]+/g, " ");
    if (this.line === "" || this.line.endsWith(" ")) this.line += t.replace(/^ /, "");
    else this.line += t;
  }

  /** keep adds text as it is. */
  keep(s: string): void {
    const lines = s.split(/\r\n?|\n/);
    lines.forEach((l, i) => {
      if (i > 0) this.end();
      this.line += l;
    });
  }

  /** mark puts a sign in place of the blank end of the line. */
  mark(s: string): void {
    this.line = this.line.trimEnd() + s;
  }

  /** end ends the line, also an empty one within the text. */
  end(): void {
    const t = this.line.replace(/[ \t]+$/, "");
    this.line = "";
    if (t === "" && this.size === 0) return;
    this.parts.push(`${t}\n`);
    this.size += t.length + 1;
    this.ends = t === "" ? this.ends + 1 : 1;
  }

  /** gap ends the line if there is one, and leaves one free where n is 2. */
  gap(n: number): void {
    if (!this.fresh) this.end();
    this.line = "";
    while (this.size > 0 && this.ends < n) this.end();
  }

  /** text is all of it, without the blank end. */
  text(): string {
    return (this.parts.join("") + this.line).trimEnd();
  }
}
