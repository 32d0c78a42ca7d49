/** What the headers of images say. */
/** Bounds of the images that are shown to models. Larger ones are refused: none is made smaller. */
export interface ImageLimits {
    maxBytes: number;
    /** Pixels. */
    maxWidth: number;
    maxHeight: number;
}
/** What all known providers take. */
export declare const DEFAULT_IMAGE_LIMITS: Readonly<ImageLimits>;
/** The media type of an image by its first bytes, or undefined for what is none. */
export declare function imageKind(head: Uint8Array): string | undefined;
/** The pixels of an image, or undefined for a broken header and one that is not within the first bytes. */
export declare function imageSize(kind: string, head: Uint8Array): {
    width: number;
    height: number;
} | undefined;
