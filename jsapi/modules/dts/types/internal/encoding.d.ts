/** Text to bytes and back, in the encodings that Node's Buffer knows. */
export type BufferEncoding = "utf8" | "utf-8" | "hex" | "base64" | "base64url" | "ascii" | "latin1" | "binary" | "utf16le" | "utf-16le" | "ucs2" | "ucs-2";
type Bytes = Uint8Array<ArrayBuffer>;
/** Throws a TypeError with code ERR_UNKNOWN_ENCODING for an unknown encoding. */
export declare function encode(text: string, encoding?: string): Bytes;
/** Throws a TypeError with code ERR_UNKNOWN_ENCODING for an unknown encoding. */
export declare function decode(bytes: Uint8Array, encoding?: string): string;
export declare function isEncoding(name: unknown): name is BufferEncoding;
export {};
