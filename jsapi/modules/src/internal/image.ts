/** What the headers of images say. */

/** Bounds of the images that are shown to models. Larger ones are refused: none is made smaller. */
export interface ImageLimits {
  maxBytes: number;
  /** Pixels. */
  maxWidth: number;
  maxHeight: number;
}

/** What all known providers take. */
export const DEFAULT_IMAGE_LIMITS: Readonly<ImageLimits> = Object.freeze({ maxBytes: 3_750_000, maxWidth: 8000, maxHeight: 8000 });

/** The media type of an image by its first bytes, or undefined for what is none. */
export function imageKind(head: Uint8Array): string | undefined {
  if (ascii(head, 0, 8) === "\x89PNG\r\n\x1a\n") return "image/png";
  if (ascii(head, 0, 3) === "\xff\xd8\xff") return "image/jpeg";
  if (/^GIF8[79]a$/.test(ascii(head, 0, 6))) return "image/gif";
  if (ascii(head, 0, 4) === "RIFF" && ascii(head, 8, 12) === "WEBP") return "image/webp";
  return undefined;
}

/** The pixels of an image, or undefined for a broken header and one that is not within the first bytes. */
export function imageSize(kind: string, head: Uint8Array): { width: number; height: number } | undefined {
  const [width, height] = sizes[kind]?.(head, new DataView(head.buffer, head.byteOffset, head.byteLength)) ?? [0, 0];
  return width > 0 && height > 0 ? { width, height } : undefined;
}

type Size = [width: number, height: number] | undefined;

const sizes: Record<string, (head: Uint8Array, view: DataView) => Size> = {
  "image/png": (head, view) =>
    head.length >= 24 && ascii(head, 12, 16) === "IHDR" ? [view.getUint32(16), view.getUint32(20)] : undefined,
  "image/gif": (head, view) => (head.length >= 10 ? [view.getUint16(6, true), view.getUint16(8, true)] : undefined),
  "image/jpeg": jpegSize,
  "image/webp": webpSize,
};

// Follows the segments to the one that begins a frame.
function jpegSize(head: Uint8Array, view: DataView): Size {
  for (let at = 2; at + 9 <= head.length && head[at] === 0xff; ) {
    const marker = head[at + 1]!;
    if (marker === 0xff) {
      at++; // filling
      continue;
    }
    const frame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (frame) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function webpSize(head: Uint8Array, view: DataView): Size {
  if (head.length < 30) return undefined;
  switch (ascii(head, 12, 16)) {
    case "VP8 ":
      return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
    case "VP8L": {
      const bits = view.getUint32(21, true);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    case "VP8X":
      return [1 + (view.getUint32(24, true) & 0xffffff), 1 + (view.getUint32(26, true) >>> 8)];
  }
  return undefined;
}

function ascii(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
