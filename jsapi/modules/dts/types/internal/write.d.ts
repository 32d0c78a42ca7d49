/** The tool that makes and replaces files. */
import type { ToolRegistration } from "@earendil-works/pi-durable";
export declare function createWriteTool(_options?: object): ToolRegistration<object, {
    path: string;
    bytes: number;
    made: boolean;
}>;
