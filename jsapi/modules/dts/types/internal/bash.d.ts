/** The tool that runs commands. */
import type { Context } from "@earendil-works/chord";
import type { ToolExecutionApi, ToolRegistration } from "@earendil-works/pi-durable";
/** What is run: prepare may give another. */
export interface PreparedCommand {
    command: string;
    cwd?: string | undefined;
    env?: Record<string, string> | undefined;
}
export interface BashToolOptions {
    /** Put in front of each command, on a line of its own. */
    commandPrefix?: string;
    /** Sees each command before it runs. */
    prepare?(command: PreparedCommand, api: ToolExecutionApi<any>, context: Context): PreparedCommand | undefined | void | Promise<PreparedCommand | undefined | void>;
}
export declare function createBashTool(options?: BashToolOptions): ToolRegistration<object, {
    exitCode?: number;
    spillPath?: string;
}>;
