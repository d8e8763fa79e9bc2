// Colours as computed styles write them.

/** Colour has channels from 0 to 255, and alpha from 0 to 1. */
export interface Colour {
  readonly r: number;
  readonly g: number;
  readonly b: number;
  readonly a: number;
}

const read = new Map<string, Colour | null>();

/** colourOf reads a colour; null for forms that it does not know. */
export function colourOf(s: string): Colour | null {
  let c = read.get(s);
  if (c === undefined) {
    c = parse(s);
    if (read.size > 2000) read.clear();
    read.set(s, c);
  }
  return c;
}

const legacy = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/;
const modern = /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)$/;

function parse(s: string): Colour | null {
  const m = legacy.exec(s) ?? modern.exec(s);
  if (m === null) {
    // Of other colour spaces only the alpha is needed when nothing is left of it.
    const alpha = /\/ ([\d.e-]+)\)$/.exec(s);
    return alpha !== null && Number(alpha[1]) < faint ? { r: 0, g: 0, b: 0, a: Number(alpha[1]) } : null;
  }
  const by = s.startsWith("color(") ? 255 : 1;
  return { r: Number(m[1]) * by, g: Number(m[2]) * by, b: Number(m[3]) * by, a: m[4] === undefined ? 1 : Number(m[4]) };
}

/** faint is an alpha that leaves nothing to be seen. */
export const faint = 0.05;

function channel(v: number): number {
  const x = v / 255;
  return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
}

function luminance(c: Colour): number {
  return 0.2126 * channel(c.r) + 0.7152 * channel(c.g) + 0.0722 * channel(c.b);
}

/** over is a colour as it looks on an opaque one. */
export function over(c: Colour, back: Colour): Colour {
  const mix = (a: number, b: number): number => a * c.a + b * (1 - c.a);
  return { r: mix(c.r, back.r), g: mix(c.g, back.g), b: mix(c.b, back.b), a: 1 };
}

/** alike tells whether nobody could read a text of one colour on the other. */
export function alike(c: Colour, back: Colour): boolean {
  const seen = over(c, back);
  // Hues of one brightness can be told apart.
  if (Math.abs(seen.r - back.r) + Math.abs(seen.g - back.g) + Math.abs(seen.b - back.b) > 48) return false;
  const a = luminance(seen), b = luminance(back);
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 1.15;
}
