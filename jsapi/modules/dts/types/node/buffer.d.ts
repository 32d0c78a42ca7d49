/** Bytes with the methods of Node's Buffer. */
import { type BufferEncoding } from "harness:internal/encoding";
export type { BufferEncoding };
declare const Blob: {
    new (parts?: Iterable<BlobPart>, options?: {
        type?: string;
    }): Blob;
    prototype: Blob;
}, atob: typeof globalThis.atob, btoa: typeof globalThis.btoa;
export { Blob, atob, btoa };
type Source = string | ArrayBuffer | ArrayBufferView | Iterable<number> | ArrayLike<number> | {
    type: "Buffer";
    data: number[];
};
declare const Bytes: new (source: number | ArrayBuffer, offset?: number, length?: number) => Uint8Array<ArrayBuffer>;
/** A Uint8Array that can also be written and read as text and as numbers. */
export declare class Buffer extends Bytes {
    #private;
    /** Bytes of a text, of a list of numbers, or (shared, not copied) of an ArrayBuffer. */
    static from(source: Source, encoding?: BufferEncoding): Buffer;
    static from(source: ArrayBuffer, offset?: number, length?: number): Buffer;
    /** size bytes, filled with fill or with zero. */
    static alloc(size: number, fill?: string | number | Uint8Array, encoding?: BufferEncoding): Buffer;
    /** The same as alloc: the bytes are zero. */
    static allocUnsafe(size: number): Buffer;
    /** All bytes of parts one after the other, cut or filled up to length when it is given. */
    static concat(parts: readonly Uint8Array[], length?: number): Buffer;
    static isBuffer(value: unknown): value is Buffer;
    static isEncoding(name: unknown): name is BufferEncoding;
    static byteLength(source: string | ArrayBuffer | ArrayBufferView, encoding?: BufferEncoding): number;
    static compare(left: Uint8Array, right: Uint8Array): -1 | 0 | 1;
    toString(encoding?: BufferEncoding, start?: number, end?: number): string;
    toJSON(): {
        type: "Buffer";
        data: number[];
    };
    equals(other: Uint8Array): boolean;
    compare(other: Uint8Array): -1 | 0 | 1;
    subarray(start?: number, end?: number): Buffer;
    /** The same as subarray: the bytes are shared. */
    slice(start?: number, end?: number): Buffer;
    /** Copies bytes into target; returns how many. */
    copy(target: Uint8Array, targetStart?: number, start?: number, end?: number): number;
    /** Writes as much of text as there is room for; returns the bytes written. */
    write(text: string, offset?: number, encoding?: BufferEncoding): number;
    fill(value: string | number | Uint8Array, start?: number, end?: number, encoding?: BufferEncoding): this;
    indexOf(value: string | number | Uint8Array, start?: number, encoding?: BufferEncoding): number;
    includes(value: string | number | Uint8Array, start?: number, encoding?: BufferEncoding): boolean;
    readUInt8(offset?: number): number;
    readUInt16LE(offset?: number): number;
    readUInt16BE(offset?: number): number;
    readUInt32LE(offset?: number): number;
    readUInt32BE(offset?: number): number;
    readInt8(offset?: number): number;
    readInt16LE(offset?: number): number;
    readInt16BE(offset?: number): number;
    readInt32LE(offset?: number): number;
    readInt32BE(offset?: number): number;
    readBigUInt64LE(offset?: number): bigint;
    readBigUInt64BE(offset?: number): bigint;
    readBigInt64LE(offset?: number): bigint;
    readBigInt64BE(offset?: number): bigint;
    readFloatLE(offset?: number): number;
    readFloatBE(offset?: number): number;
    readDoubleLE(offset?: number): number;
    readDoubleBE(offset?: number): number;
    /** An unsigned integer of 1 to 6 bytes, the most significant first. */
    readUIntBE(offset: number, byteLength: number): number;
    /** An unsigned integer of 1 to 6 bytes, the least significant first. */
    readUIntLE(offset: number, byteLength: number): number;
    writeUInt8(value: number, offset?: number): number;
    writeUInt16LE(value: number, offset?: number): number;
    writeUInt16BE(value: number, offset?: number): number;
    writeUInt32LE(value: number, offset?: number): number;
    writeUInt32BE(value: number, offset?: number): number;
    writeInt8(value: number, offset?: number): number;
    writeInt16LE(value: number, offset?: number): number;
    writeInt16BE(value: number, offset?: number): number;
    writeInt32LE(value: number, offset?: number): number;
    writeInt32BE(value: number, offset?: number): number;
    writeBigUInt64LE(value: bigint, offset?: number): number;
    writeBigUInt64BE(value: bigint, offset?: number): number;
    writeDoubleLE(value: number, offset?: number): number;
    writeDoubleBE(value: number, offset?: number): number;
}
declare const _default: {
    Buffer: typeof Buffer;
    Blob: {
        new (parts?: Iterable<BlobPart>, options?: {
            type?: string;
        }): Blob;
        prototype: Blob;
    };
    atob: typeof globalThis.atob;
    btoa: typeof globalThis.btoa;
};
export default _default;
