/** Text to bytes and back, in the encodings that Node's Buffer knows. */

export type BufferEncoding =
  | "utf8"
  | "utf-8"
  | "hex"
  | "base64"
  | "base64url"
  | "ascii"
  | "latin1"
  | "binary"
  | "utf16le"
  | "utf-16le"
  | "ucs2"
  | "ucs-2";

type Bytes = Uint8Array<ArrayBuffer>;

const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Throws a TypeError with code ERR_UNKNOWN_ENCODING for an unknown encoding. */
export function encode(text: string, encoding: string = "utf8"): Bytes {
  switch (encoding.toLowerCase()) {
    case "utf8":
    case "utf-8":
      return new TextEncoder().encode(text);
    case "hex":
      return fromHex(text);
    case "base64":
    case "base64url":
      return fromBase64(text);
    case "ascii":
    case "latin1":
    case "binary":
      return Uint8Array.from({ length: text.length }, (_, i) => text.charCodeAt(i) & 0xff);
    case "utf16le":
    case "utf-16le":
    case "ucs2":
    case "ucs-2":
      return Uint8Array.from({ length: text.length * 2 }, (_, i) => (text.charCodeAt(i >> 1) >> (i % 2 === 0 ? 0 : 8)) & 0xff);
    default:
      throw unknownEncoding(encoding);
  }
}

/** Throws a TypeError with code ERR_UNKNOWN_ENCODING for an unknown encoding. */
export function decode(bytes: Uint8Array, encoding: string = "utf8"): string {
  switch (encoding.toLowerCase()) {
    case "utf8":
    case "utf-8":
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    case "hex":
      return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    case "base64":
      return toBase64(bytes);
    case "base64url":
      return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
    case "ascii":
      return fromCodes(bytes, (byte) => byte & 0x7f);
    case "latin1":
    case "binary":
      return fromCodes(bytes, (byte) => byte);
    case "utf16le":
    case "utf-16le":
    case "ucs2":
    case "ucs-2":
      return new TextDecoder("utf-16le", { ignoreBOM: true }).decode(bytes.subarray(0, bytes.length & ~1));
    default:
      throw unknownEncoding(encoding);
  }
}

export function isEncoding(name: unknown): name is BufferEncoding {
  return typeof name === "string" && /^(utf-?8|hex|base64(url)?|ascii|latin1|binary|utf-?16le|ucs-?2)$/i.test(name);
}

// Stops at the first pair that is not hexadecimal, as Node does.
function fromHex(text: string): Bytes {
  const digits = /^(?:[0-9a-fA-F]{2})*/.exec(text)![0];
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}

// Takes both alphabets and skips what belongs to neither, as Node does.
function fromBase64(text: string): Bytes {
  const end = text.indexOf("=");
  const letters = (end < 0 ? text : text.slice(0, end))
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/[^A-Za-z0-9+/]/g, "");
  const bytes = new Uint8Array(Math.floor((letters.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const letter of letters) {
    bits = ((bits << 6) | base64Letters.indexOf(letter)) & 0xffffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes[at++] = (bits >> held) & 0xff;
  }
  return bytes;
}

function toBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const group = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    const letters = [18, 12, 6, 0].map((shift) => base64Letters[(group >> shift) & 63]);
    parts.push(letters.slice(0, bytes.length - i + 1).join("").padEnd(4, "="));
  }
  return parts.join("");
}

function fromCodes(bytes: Uint8Array, code: (byte: number) => number): string {
  const parts: string[] = [];
  // Arguments of one call are bounded by the stack.
  for (let i = 0; i < bytes.length; i += 4096) {
    parts.push(String.fromCharCode(...Array.from(bytes.subarray(i, i + 4096), code)));
  }
  return parts.join("");
}

function unknownEncoding(encoding: string): TypeError {
  return Object.assign(new TypeError(`Unknown encoding: ${encoding}`), { code: "ERR_UNKNOWN_ENCODING" });
}
