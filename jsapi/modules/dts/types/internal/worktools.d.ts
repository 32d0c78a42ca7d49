/** What the tools for files and commands share. */
import type { Context } from "@earendil-works/chord";
import type { ToolExecutionApi } from "@earendil-works/pi-durable";
import type { ExecutionEnv, FileError, Result } from "@earendil-works/pi-durable/env";
/** Throws in a call that has nothing to work on. */
export declare function envOf(api: ToolExecutionApi<any>): ExecutionEnv;
/** The error of a tool that cannot work on a file. */
export declare function refusal(verb: string, path: string, why: string): Error;
/** The value of a file operation; throws a refusal of the tool for one that failed. */
export declare function orRefuse<T>(verb: string, path: string, result: Result<T, FileError>): T;
/** A number with commas between thousands. */
export declare function grouped(n: number): string;
/** A number with what it counts. */
export declare function counted(n: number, one: string): string;
/** Runs work once nobody else of this extension writes the file that a path leads to. */
export declare function alone<T>(env: ExecutionEnv, path: string, context: Context, work: () => Promise<T>): Promise<T>;
