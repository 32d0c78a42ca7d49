/** The models of the harness, in the form of pi-ai. */
import type { Models } from "@earendil-works/pi-ai";
/** The configured models. Reads are synchronous; what is wrong with a request is in its response. */
export declare const models: Models;
