// What clip-path leaves of a box.

// A strip narrower than this shows no text.
const least = 2;

function lengthIn(s: string, whole: number): number {
  const n = parseFloat(s);
  if (Number.isNaN(n)) return NaN;
  return s.endsWith("%") ? (n / 100) * whole : n;
}

/** clippedAway tells whether a clip-path leaves nothing to read of a box; shapes that it does not know leave all. */
export function clippedAway(path: string, width: number, height: number): boolean {
  const shape = /^(inset|circle|ellipse|polygon)\(([^()]*)\)/.exec(path);
  if (shape === null) return false;
  const kind = shape[1], body = shape[2] ?? "";
  if (kind === "inset") {
    const [top = "0", right = top, bottom = top, left = right] = (body.split(" round ")[0] ?? "").trim().split(/\s+/);
    return width - lengthIn(left, width) - lengthIn(right, width) < least || height - lengthIn(top, height) - lengthIn(bottom, height) < least;
  }
  if (kind === "polygon") {
    const points = body.split(",").map((p) => p.trim().split(/\s+/)).filter((p) => p.length === 2);
    const xs = points.map((p) => lengthIn(p[0] ?? "", width)), ys = points.map((p) => lengthIn(p[1] ?? "", height));
    return spread(xs) < least || spread(ys) < least;
  }
  const radii = (body.split("at ")[0] ?? "").trim().split(/\s+/).filter((r) => r !== "");
  const diagonal = Math.hypot(width, height) / Math.SQRT2;
  return radii.some((r, i) => lengthIn(r, kind === "circle" ? diagonal : i === 0 ? width : height) < least);
}

function spread(at: readonly number[]): number {
  return Math.max(...at) - Math.min(...at);
}
