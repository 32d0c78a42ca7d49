/** The tool that shows texts and images. */
import type { ToolRegistration } from "@earendil-works/pi-durable";
import { type ImageLimits } from "harness:internal/image";
export interface ReadToolOptions {
    images?: Partial<ImageLimits>;
}
export declare function createReadTool(options?: ReadToolOptions): ToolRegistration<object, unknown>;
