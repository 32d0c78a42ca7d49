/** The tool that replaces texts in files. */
import type { ToolRegistration } from "@earendil-works/pi-durable";
export declare function createEditTool(_options?: object): ToolRegistration<object, {
    path: string;
    lines: number[];
}>;
