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
const modern = /^(?:color\((srgb|srgb-linear|display-p3)|(lab|lch|oklab|oklch)\()\s*([\d.e-]+)%? ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)$/;

function parse(s: string): Colour | null {
  const l = legacy.exec(s);
  if (l !== null) return { r: Number(l[1]), g: Number(l[2]), b: Number(l[3]), a: l[4] === undefined ? 1 : Number(l[4]) };
  const m = modern.exec(s);
  if (m === null) {
    // Of other colour spaces only the alpha is needed when nothing is left of it.
    const alpha = /\/ ([\d.e-]+)\)$/.exec(s);
    return alpha !== null && Number(alpha[1]) < faint ? { r: 0, g: 0, b: 0, a: Number(alpha[1]) } : null;
  }
  const [x, y, z] = inSpace(m[1] ?? m[2] ?? "", Number(m[3]), Number(m[4]), Number(m[5]));
  return { r: 255 * x, g: 255 * y, b: 255 * z, a: m[6] === undefined ? 1 : Number(m[6]) };
}

type Triple = readonly [number, number, number];

// inSpace is a colour of a space as one of the screen, from 0 to 1.
function inSpace(space: string, x: number, y: number, z: number): Triple {
  if (space === "lch" || space === "oklch") {
    const turn = (z * Math.PI) / 180;
    return inSpace(space === "lch" ? "lab" : "oklab", x, y * Math.cos(turn), y * Math.sin(turn));
  }
  if (space === "oklab") {
    const l = (x + 0.3963377774 * y + 0.2158037573 * z) ** 3, m = (x - 0.1055613458 * y - 0.0638541728 * z) ** 3, s = (x - 0.0894841775 * y - 1.291485548 * z) ** 3;
    return lit(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s, -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  }
  if (space === "lab") {
    const fy = (x + 16) / 116, root = (t: number): number => (t > 6 / 29 ? t ** 3 : (t - 4 / 29) * 3 * (6 / 29) ** 2);
    const cx = 0.9642956764 * root(fy + y / 500), cy = root(fy), cz = 0.8251046025 * root(fy - z / 200);
    return lit(3.1341359569 * cx - 1.6173863322 * cy - 0.4906619460 * cz, -0.9787954765 * cx + 1.9162543773 * cy + 0.0334427336 * cz, 0.0719552991 * cx - 0.2289768264 * cy + 1.4053860245 * cz);
  }
  return space === "srgb-linear" ? lit(x, y, z) : [x, y, z];
}

function lit(r: number, g: number, b: number): Triple {
  const one = (v: number): number => Math.min(1, Math.max(0, v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055));
  return [one(r), one(g), one(b)];
}

const image = /\b(?:rgba?|color|lab|lch|oklab|oklch)\([^()]*\)/g;

// stopsOf are the colours of gradients, null for other pictures.
function stopsOf(picture: string): Colour[] | null {
  if (/url\(|image|element\(|paint\(|cross-fade\(/.test(picture)) return null;
  const out: Colour[] = [];
  for (const m of picture.matchAll(image)) {
    const c = colourOf(m[0]);
    if (c === null) return null;
    out.push(c);
  }
  return out.length === 0 ? null : out;
}

/** plainOf is the colour of a background picture that has only one; null for others. */
export function plainOf(picture: string): Colour | null {
  const stops = stopsOf(picture);
  const first = stops?.[0];
  if (stops === null || first === undefined) return null;
  return stops.every((c) => c.a === 1 && Math.abs(c.r - first.r) + Math.abs(c.g - first.g) + Math.abs(c.b - first.b) < 24) ? first : null;
}

/** isClear tells whether a picture is of nothing but gradients that cannot be seen. */
export function isClear(picture: string): boolean {
  return stopsOf(picture)?.every((c) => c.a < faint) ?? false;
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
