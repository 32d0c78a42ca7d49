/** Digests, identifiers and random bytes. */
import { Buffer, type BufferEncoding } from "node:buffer";
type Data = string | ArrayBufferView | ArrayBuffer;
/** The digest of all data given to update. */
export declare class Hash {
    #private;
    update(data: Data, encoding?: BufferEncoding): this;
    /** The digest. Nothing can be added afterwards. */
    digest(): Buffer;
    digest(encoding: BufferEncoding): string;
    copy(): Hash;
}
/** A digest by algorithm: md5, sha1, sha256, sha384 or sha512. */
export declare function createHash(algorithm: string): Hash;
/** A keyed digest (RFC 2104). */
export declare function createHmac(algorithm: string, key: Data): Hash;
export declare function getHashes(): string[];
export declare function randomUUID(): string;
/** Bytes fit for keys. */
export declare function randomBytes(size: number): Buffer;
/** An integer from min to max - 1; from 0 when max is left out. */
export declare function randomInt(max: number): number;
export declare function randomInt(min: number, max: number): number;
/** Whether the bytes are equal, in a time that does not depend on where they differ. */
export declare function timingSafeEqual(left: ArrayBufferView | ArrayBuffer, right: ArrayBufferView | ArrayBuffer): boolean;
declare const _default: {
    Hash: typeof Hash;
    createHash: typeof createHash;
    createHmac: typeof createHmac;
    getHashes: typeof getHashes;
    randomBytes: typeof randomBytes;
    randomInt: typeof randomInt;
    randomUUID: typeof randomUUID;
    timingSafeEqual: typeof timingSafeEqual;
};
export default _default;
