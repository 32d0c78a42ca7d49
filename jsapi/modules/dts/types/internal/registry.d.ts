/** A registry of a program's own, apart from the harness. */
import type { Registry } from "harness:internal/sessions";
/** A registry that lists and validates extensions. Those that run are in the harness's own: host.harness().registry. */
export declare function createRegistry(): Registry & {
    subscribe(listener: () => void): () => void;
};
