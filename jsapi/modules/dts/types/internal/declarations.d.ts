/** The shapes of what extensions declare. */
import type { Context, JsonValue } from "@earendil-works/chord";
import type { AssistantMessage, ImageContent, Message, Model, Models, TextContent, ThinkingLevel, ToolCall, Usage } from "@earendil-works/pi-ai";
import type { ExecutionEnv, ShellExecOptions, ShellOutputInfo } from "@earendil-works/pi-durable/env";
import type { ConversationHandle, ConversationId, DocumentObserver, DocumentReader, EntryId, EntryRecord, Memo, SettledTask, TaskId, TaskOptions, TaskRecord, TaskToken, Transaction } from "harness:internal/durable";
import type { Static, TSchema } from "typebox";
/** The kinds of hooks beside the handlers of tasks, and what extensions bring. */
export type HookKind = "before_agent_start" | "tool_call" | "tool_result" | "agent_end" | "session_start" | "session_shutdown" | "Tool" | "Command";
/** Where an instance of an extension lives. */
export type Scope = "global" | "agent" | "session";
/** What happened beside the result, for people and models. */
export interface Diagnostic {
    severity: "info" | "warn" | "error";
    message: string;
    code?: string;
}
/** How many bytes and lines of a tool's output a model sees, and which end of it. */
export interface OutputLimits {
    maxBytes?: number;
    maxLines?: number;
    retain?: "head" | "tail";
}
/** What a call gives back. */
export interface ToolResult<Details = unknown> {
    /** What the model sees. */
    content?: string | readonly (TextContent | ImageContent)[];
    /** Another name of content, which counts when content is left out. */
    output?: string | readonly (TextContent | ImageContent)[];
    /** For programs and user interfaces; the model does not see it. JSON only. */
    details?: Details;
    /** The value that a calling tool gets when the tool has a structuredOutput schema. */
    structuredOutput?: unknown;
    isError?: boolean;
    diagnostics?: readonly Diagnostic[];
    usage?: Usage;
    control?: ToolControl;
}
/** What a result asks of the run that called. */
export interface ToolControl {
    addTools?: readonly string[];
    /** Ends the run when every result of the round says so. */
    terminate?: true;
    /** Begins a new context with this text. */
    handoff?: string;
}
/**
 * What a call can do while it runs; afterwards every member fails. It is a plain
 * object, which may be spread and passed on. A call from outside of conversations, by
 * `harness call` say, has output, details and diagnostics; its other values are
 * undefined, and its other functions reject with NotAvailable.
 */
export interface ToolExecutionApi<Details = unknown> extends DocumentReader, DocumentObserver {
    readonly callId: string;
    /** Adds text to the output that is shown and kept while the tool runs. */
    output(chunk: string | Uint8Array, skipped?: ShellOutputInfo["skipped"]): void;
    /**
     * What a call keeps that keeps the end of its output. Outside of conversations, a
     * function that gives the end of the output so far.
     */
    readonly outputWindow: ShellExecOptions["window"] | (() => string);
    /** The output so far, as it becomes the content of a result without one. */
    retainedOutput(): string;
    /** A remark beside the result. */
    diagnostic(diagnostic: Diagnostic): void;
    /** Replaces the details; resolves once they are stored. */
    details(value: Details, context?: Context): Promise<void>;
    /** The task of the call. */
    readonly taskId: TaskId | undefined;
    readonly conversationId: ConversationId | undefined;
    /** Undefined when the harness has no environment. */
    readonly env: ExecutionEnv | undefined;
    /** What was installed when the call began. */
    readonly registry: RegistrySnapshot | undefined;
    readonly models: Models | undefined;
    /** What took part in the conversation when the call began. */
    agent(context: Context): Promise<Agent>;
    readonly memo: Memo;
    /** Changes the session; entries bear the call's task. */
    commit<T>(change: (tx: Transaction) => T | Promise<T>, context: Context): Promise<T>;
    /** Makes a task in a commit of its own. One that the call owns is abandoned on a restart unless the tool is safe to replay. */
    createTask<Input, Result>(task: TaskToken<Input, Result, any>, input: Input, options: Omit<TaskOptions, "conversationId">, context: Context): Promise<TaskId<Result>>;
    getTask<Result>(id: TaskId<Result>, context: Context): Promise<TaskRecord<unknown, Result> | undefined>;
    waitForTask<Result>(id: TaskId<Result>, context: Context): Promise<SettledTask<Result>>;
    /** Aborts a task that the call owns, and waits until it has ended. */
    abortOwned(id: TaskId, context: Context): Promise<void>;
    /** A conversation to work with, as long as the call runs. */
    conversation(id: ConversationId, context: Context): Promise<ConversationHandle | undefined>;
    /** Calls another tool on behalf of this call. A key finds the same call when this one runs again. */
    executeTool(name: string, args: Record<string, unknown>, context: Context, options?: {
        key?: string;
        progress?: (published: {
            output?: string;
            details?: unknown;
            diagnostic?: Diagnostic;
        }) => void;
    }): Promise<NestedResult>;
}
/** What a nested call gives its caller. */
export interface NestedResult {
    taskId: TaskId;
    /** The value of the tool's structuredOutput schema, else its text. */
    structuredOutput?: unknown;
    /** What a model would read. */
    text: string;
    isError: boolean;
    details?: unknown;
    diagnostics: Diagnostic[];
    usage?: Usage;
    durationMs?: number;
}
/** The type of the arguments that a parameter schema accepts. */
export type Arguments<P> = P extends TSchema ? Static<P> : any;
/** A tool that models and other tools can call. */
export interface ToolRegistration<P extends object = object, Details = unknown> {
    /** Letters, digits, `_` and `-`, at most 64. */
    name: string;
    /** Tells a model what the tool does and when to use it. */
    description: string;
    /** JSON Schema of the arguments; its root describes an object. */
    parameters: P;
    /** Arguments have been validated and coerced. A throw is an error result. */
    execute(args: Arguments<P>, api: ToolExecutionApi<Details>, context: Context): ToolResult<Details> | Promise<ToolResult<Details>>;
    /** Whether a call that a crash cut off may run again. Default: it may not. */
    replay?: "safe" | "unsafe";
    /** Default parallel. One sequential tool makes its whole round sequential. */
    executionMode?: "parallel" | "sequential";
    /** Repairs arguments before they are validated; a throw makes them invalid. */
    prepareArguments?(args: unknown): unknown;
    /** Seconds that a call may take; none by default. */
    timeout?: number;
    outputLimits?: OutputLimits;
    /** JSON Schema of the result's structuredOutput. */
    structuredOutput?: object;
    /** Who may call it; everybody by default. */
    callers?: readonly ("model" | "tool")[];
    constrainedSampling?: unknown;
}
/** What a section can use to write its text. */
export interface SectionInput {
    readonly conversationId: ConversationId;
    /** Its tools are those of this request. */
    readonly agent: Agent;
    /** Undefined when there is none, or it failed. */
    readonly env: ExecutionEnv | undefined;
    /** The sections that are in effect, by their key. */
    readonly shown: Readonly<Record<string, string>>;
    readonly read: DocumentReader;
}
export type SectionRender = (input: SectionInput, context: Context) => string | undefined | Promise<string | undefined>;
/** A named part of the system prompt. */
export interface Section {
    /** Lower-case letters, digits, `_` and `-`; `instructions` is reserved. */
    key: string;
    render: SectionRender;
    /** False leaves out the tag around the text. */
    tag?: boolean;
}
/** Puts another registration in the place of a tool of any extension. */
export interface ToolWrap {
    tool: string;
    wrap(inner: ToolRegistration<any, any>): ToolRegistration<any, any>;
}
/** Puts another section in the place of a section of any extension. */
export interface SectionWrap {
    section: string;
    wrap(inner: Section): Section;
}
/**
 * What hook handlers can use. A handler may run twice around a crash: memo is the
 * guard. Around a call from outside of conversations ids are undefined, and functions
 * reject with NotAvailable.
 */
export interface HookApi extends DocumentReader {
    /** The task that asks. */
    readonly taskId: TaskId | undefined;
    readonly conversationId: ConversationId | undefined;
    readonly models: Models | undefined;
    /** The memos of the task: it and all its hooks share the names. */
    readonly memo: Memo;
}
/** A call on its way through the hooks. */
export interface HookedCall extends Pick<ToolCall, "id" | "name" | "arguments"> {
    /** The call that made this one. */
    parent?: {
        taskId: TaskId;
        callId: string;
    };
}
/** A result on its way through the hooks. */
export interface HookedResult {
    content: (TextContent | ImageContent)[];
    details?: unknown;
    isError: boolean;
    diagnostics?: Diagnostic[];
}
/**
 * What a gate decides: block, then ask, then allow win over nothing. Changed
 * arguments are what later gates and the tool see.
 */
export type ToolCallDecision = {
    block: string;
} | {
    ask: string;
    arguments?: Record<string, unknown>;
} | {
    allow: true;
    arguments?: Record<string, unknown>;
} | {
    arguments: Record<string, unknown>;
};
type Hooked<T> = T | undefined | void | Promise<T | undefined | void>;
/** Handlers around the calls of tools. */
export interface ToolHandlers {
    /** A throw blocks the call. */
    beforeTool(call: HookedCall, api: HookApi, context: Context): Hooked<ToolCallDecision>;
    /** What it returns is the whole result: begin with `...result`, or isError and details are lost. */
    afterTool(call: HookedCall, result: HookedResult, api: HookApi, context: Context): Hooked<ToolResult>;
    /** As afterTool, for a call that was aborted. */
    onAbort(call: HookedCall, result: HookedResult, api: HookApi, context: Context): Hooked<ToolResult>;
}
/** Handlers around the requests to a model. */
export interface GenerationHandlers {
    beforeRequest(request: ModelRequest, api: HookApi, context: Context): Hooked<{
        messages: Message[];
    }>;
    afterResponse(message: AssistantMessage, api: HookApi, context: Context): void | Promise<void>;
    onYield(answer: AssistantMessage, api: HookApi, context: Context): Hooked<{
        continue: string;
    }>;
    afterTools(assistantEntryId: EntryId, resultEntryIds: EntryId[], api: HookApi, context: Context): void | Promise<void>;
}
export interface ModelRequest {
    model: Model;
    messages: Message[];
    thinkingLevel: ThinkingLevel;
}
/** Handlers around the shortening of a conversation. */
export interface CompactionHandlers {
    beforeCompact(request: {
        reason: string;
        entries: EntryRecord[];
        messages: Message[];
        firstKept: EntryId;
        instructions?: string;
    }, api: HookApi, context: Context): Hooked<{
        decline: true;
    } | {
        summary: string;
    }>;
}
/** Handlers of a task, by the task's name. */
export interface TaskHook {
    task: string;
    handlers: Readonly<Record<string, (...args: any[]) => unknown>>;
}
/**
 * Handlers by kind. tool_call is ToolTask's beforeTool, tool_result its afterTool;
 * the others do not run yet.
 */
export interface KindHandlers {
    before_agent_start(api: HookApi, context: Context): Hooked<Message[]>;
    tool_call: ToolHandlers["beforeTool"];
    tool_result: ToolHandlers["afterTool"];
    agent_end(outcome: {
        reason: string;
    }, api: HookApi, context: Context): void | Promise<void>;
    session_start(api: HookApi, context: Context): void | Promise<void>;
    session_shutdown(api: HookApi, context: Context): void | Promise<void>;
}
/** A handler of one kind. */
export interface KindHook<K extends keyof KindHandlers = keyof KindHandlers> {
    kind: K;
    handler: KindHandlers[K];
}
/** Names a model of a provider. */
export interface ModelRef {
    provider: string;
    modelId: string;
}
/** What a conversation has chosen, by names; what is left out follows the host. */
export interface AgentState {
    model?: ModelRef;
    thinkingLevel?: ThinkingLevel;
    extensions?: string[] | {
        add?: string[];
        remove?: string[];
    };
    tools?: string[] | {
        remove: string[];
    };
    instructions?: string;
    cwd?: string;
}
type Named = {
    readonly name: string;
};
/** A change of that: null clears a choice. */
export interface AgentChange {
    model?: ModelRef | null;
    thinkingLevel?: ThinkingLevel | null;
    extensions?: readonly Named[] | {
        add?: readonly Named[];
        remove?: readonly Named[];
    } | null;
    tools?: readonly Named[] | {
        remove: readonly Named[];
    } | null;
    instructions?: string | null;
    cwd?: string | null;
}
/** The choices of a conversation with the extensions and tools they stand for, in order. */
export interface Agent {
    readonly model?: ModelRef;
    readonly thinkingLevel: ThinkingLevel;
    readonly extensions: readonly Extension[];
    readonly tools: readonly ToolRegistration<any, any>[];
    /** Those that models may call, and those that other tools may. */
    readonly modelTools: readonly ToolRegistration<any, any>[];
    readonly callableTools: readonly ToolRegistration<any, any>[];
    readonly sections: readonly Section[];
    readonly instructions?: string;
    readonly cwd?: string;
}
/** What was installed at one moment. */
export interface RegistrySnapshot {
    installed(): readonly Extension[];
    extension(name: string): Extension | undefined;
    tools(): readonly {
        readonly extension: Extension;
        readonly tool: ToolRegistration<any, any>;
    }[];
    sections(): readonly {
        readonly extension: Extension;
        readonly section: Section;
    }[];
    tasks(): readonly TaskToken[];
    task(name: string): TaskToken | undefined;
}
/** A slash command. Not yet: it is checked and listed. */
export interface Command {
    name: string;
    description?: string;
    /** argument is the text after the name; the result is shown to the person. */
    execute(argument: string, context: Context): string | void | Promise<string | void>;
}
/** Runs when a routine of this extension is due. Not yet. */
export interface RoutineHandler {
    /** A crash may repeat a fire; fire.id is the same then. */
    execute(fire: {
        id: string;
        routine: string;
        payload: JsonValue;
    }, context: Context): void | Promise<void>;
}
/** What one scope of an extension contributes. Tools, hooks around tools and services run now. */
export interface Instance {
    tools?: readonly ToolRegistration<any, any>[];
    hooks?: readonly (TaskHook | KindHook)[];
    sections?: readonly Section[];
    wraps?: readonly (ToolWrap | SectionWrap)[];
    tasks?: readonly TaskToken<any, any>[];
    commands?: readonly Command[];
    routine?: RoutineHandler;
    capabilities?: Readonly<Record<string, object>>;
    promptAugmentation?(context: Context): Hooked<string>;
    contextTail?(context: Context): Hooked<string>;
    /** Called once, after the last call into the instance returned. */
    shutdown?(): void | Promise<void>;
}
/** What an extension says about itself before it runs. */
export interface Manifest {
    version?: string;
    apiVersion?: number;
    hooks?: readonly (HookKind | (string & {}))[];
    provides?: readonly string[];
    requires?: readonly string[];
    requests?: readonly string[];
    /** JSON Schema of the extension's settings in a conversation, with defaults. */
    settings?: object;
}
/** An extension. Its own members are what it contributes at the global scope. */
export interface Extension extends Instance {
    /** The name of the extension's folder. */
    name: string;
    manifest?: Manifest;
    /** Not yet: every extension has one instance, the global one. */
    scopes?: readonly Scope[];
    /** Not yet: the extension's own members are its instance. */
    instantiate?(at: {
        scope: Scope;
        agent?: string;
        conversationId?: ConversationId;
    }): Instance | Promise<Instance>;
}
export {};
