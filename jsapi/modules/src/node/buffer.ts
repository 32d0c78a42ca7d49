/** Bytes with the methods of Node's Buffer, which is also global. */

export type BufferEncoding = globalThis.BufferEncoding;
export type Buffer = globalThis.Buffer;

export const { Blob, Buffer, atob, btoa } = globalThis;

export default { Blob, Buffer, atob, btoa };
