import type { Area } from "../../shared/link.gen";

// What is done to pictures once the browser has taken them.

/** cropped is a part of a picture, made smaller or larger, in a format, as base64. Area is in pixels. */
export async function cropped(picture: Blob, area: Area | null, scale: number, format: string, quality: number | undefined): Promise<string> {
  const whole = await createImageBitmap(picture);
  const { x, y, width, height } = area ?? { x: 0, y: 0, width: whole.width, height: whole.height };
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("no canvas");
  context.imageSmoothingQuality = "high";
  context.drawImage(whole, x, y, width, height, 0, 0, canvas.width, canvas.height);
  whole.close();
  const blob = await canvas.convertToBlob({ type: `image/${format}`, ...(quality === undefined || quality === 0 ? {} : { quality: quality / 100 }) });
  return base64(new Uint8Array(await blob.arrayBuffer()));
}

/** blobOf is what a data: address holds. */
export async function blobOf(address: string): Promise<Blob> {
  return (await fetch(address)).blob();
}

/** dataOf is the base64 of a data: address. */
export function dataOf(address: string): string {
  return address.slice(address.indexOf(",") + 1);
}

function base64(bytes: Uint8Array): string {
  let s = "";
  const step = 0x8000;
  for (let i = 0; i < bytes.length; i += step) s += String.fromCharCode(...bytes.subarray(i, i + step));
  return btoa(s);
}
