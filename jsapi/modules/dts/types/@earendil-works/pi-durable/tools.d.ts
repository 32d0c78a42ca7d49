/** Tools for files and commands, over the environment of each call. */
import type { Extension, ToolRegistration } from "@earendil-works/pi-durable";
import { createBashTool, type BashToolOptions } from "harness:internal/bash";
import { createEditTool } from "harness:internal/edit";
import { DEFAULT_IMAGE_LIMITS, type ImageLimits } from "harness:internal/image";
import { createReadTool, type ReadToolOptions } from "harness:internal/read";
import { createWriteTool } from "harness:internal/write";
export { createBashTool, createEditTool, createReadTool, createWriteTool, DEFAULT_IMAGE_LIMITS };
export type { BashToolOptions, ImageLimits, ReadToolOptions };
/** Worlds have a POSIX shell: each call fails, and says so. */
export declare function createPowerShellTool(_options?: object): ToolRegistration<object, unknown>;
/** read, write, edit and bash. */
export declare function createCodingTools(options?: ReadToolOptions & BashToolOptions): ToolRegistration<any, any>[];
export declare const CodingTools: Extension;
