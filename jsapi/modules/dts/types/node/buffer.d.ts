/** Bytes with the methods of Node's Buffer, which is also global. */
export type BufferEncoding = globalThis.BufferEncoding;
export type Buffer = globalThis.Buffer;
export declare const Blob: {
    new (parts?: Iterable<BlobPart>, options?: {
        type?: string;
    }): Blob;
    prototype: Blob;
}, Buffer: BufferConstructor, atob: typeof globalThis.atob, btoa: typeof globalThis.btoa;
declare const _default: {
    Blob: {
        new (parts?: Iterable<BlobPart>, options?: {
            type?: string;
        }): Blob;
        prototype: Blob;
    };
    Buffer: BufferConstructor;
    atob: typeof globalThis.atob;
    btoa: typeof globalThis.btoa;
};
export default _default;
