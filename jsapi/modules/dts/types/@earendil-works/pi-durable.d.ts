/**
 * What an extension is made of: tools, prompt sections, hooks, wraps, tasks and
 * documents. The builders only describe; the host validates what they made.
 */
import type { AgentChange, AgentState, CompactionHandlers, Extension, GenerationHandlers, KindHandlers, KindHook, Section, SectionRender, SectionWrap, TaskHook, ToolHandlers, ToolRegistration, ToolWrap } from "harness:internal/declarations";
import type { ConversationId, DocDefinition, DocFamilyDefinition, DocFamilyToken, DocScope, DocToken, EntryToken, TaskDefinition, TaskToken, Transaction } from "harness:internal/durable";
import type * as Sessions from "harness:internal/sessions";
export type { Context, JsonObject, JsonValue } from "@earendil-works/chord";
export type { ExecutionEnv } from "@earendil-works/pi-durable/env";
export type * from "harness:internal/declarations";
export type * from "harness:internal/durable";
export type { CompactionHandlers as CompactionHooks, Diagnostic as ToolDiagnostic, GenerationHandlers as GenerationHooks, Section as PromptSection, SectionInput as PromptInput, TaskHook as HookRegistration, ToolHandlers as ToolHooks, ToolResult as ToolExecutionResult, } from "harness:internal/declarations";
export type { AgentEvent, AgentEventStream } from "harness:internal/events";
export type * from "harness:internal/sessions";
export type { TaskToken as Task, Transaction as Tx } from "harness:internal/durable";
export type Wrap = ToolWrap | SectionWrap;
export { createRegistry } from "harness:internal/registry";
/** The conversation that every session has. */
export declare const ROOT_CONVERSATION_ID = 1;
/** When a conversation is shortened; amounts in tokens. */
export declare const DEFAULT_COMPACTION_POLICY: Readonly<{
    enabled: boolean;
    reserveTokens: number;
    keepRecentTokens: number;
    backgroundTokens: number;
}>;
/** How failed requests are tried again: the delay doubles up to its limit. */
export declare const DEFAULT_RETRY_POLICY: Readonly<{
    enabled: boolean;
    maxRetries: number;
    baseDelayMs: number;
    maxAgentDelayMs: number;
}>;
/** Gives an extension its type. */
export declare function defineExtension(extension: Extension): Extension;
/** Gives a tool its type: the arguments of execute follow from parameters. */
export declare function defineTool<P extends object, Details = unknown>(tool: ToolRegistration<P, Details>): ToolRegistration<P, Details>;
/** A part of the system prompt. render runs before each request; undefined leaves it out. */
export declare function section(key: string, render: SectionRender, options?: {
    tag?: boolean;
}): Section;
/** Attaches one handler to a kind of hook, or handlers to a task. */
export declare function hook<K extends keyof KindHandlers>(kind: K, handler: KindHandlers[K]): KindHook<K>;
export declare function hook<H extends object>(task: TaskToken<any, any, H>, handlers: Partial<H>): TaskHook;
/** Replaces a tool of any extension by what wrap makes of it. The name must stay. */
export declare function wrapTool(tool: string | {
    name: string;
}, wrap: ToolWrap["wrap"]): ToolWrap;
/** Replaces a section of any extension by what wrap makes of it. The key must stay. */
export declare function wrapSection(key: string | {
    key: string;
}, wrap: SectionWrap["wrap"]): SectionWrap;
/** Makes the token of a task. */
export declare function defineTask<Input, Result, Handlers extends object = object>(definition: TaskDefinition<Input, Result>): TaskToken<Input, Result, Handlers>;
/** Makes the token of a document. */
export declare function defineDoc<T, S extends DocScope = DocScope>(definition: DocDefinition<T, S>): DocToken<T, S>;
/** Makes the token of documents that are told apart by a key. */
export declare function defineDocFamily<T, Seed, S extends DocScope = DocScope>(definition: DocFamilyDefinition<T, Seed, S>): DocFamilyToken<T, Seed, S>;
/** Makes the token of a kind of entry. Kinds that start with `pi.` are the engine's own. */
export declare function defineEntry<Data = unknown>(kind: string): EntryToken<Data>;
export declare const UserEntry: EntryToken;
export declare const AssistantEntry: EntryToken;
export declare const SystemEntry: EntryToken;
export declare const ToolResultEntry: EntryToken;
export declare const ResetEntry: EntryToken;
export declare const CompactionEntry: EntryToken;
/** The work of one run: requests to a model and rounds of tools. */
export declare const GenerationTask: TaskToken<any, any, GenerationHandlers>;
/** One call of a tool. */
export declare const ToolTask: TaskToken<any, any, ToolHandlers>;
/** The shortening of a conversation. */
export declare const CompactionTask: TaskToken<any, any, CompactionHandlers>;
export declare const AgentDoc: DocToken<AgentState, "conversation">;
export declare const LiveDoc: DocToken<any, "conversation">;
export declare const InboxDoc: DocToken<any, "conversation">;
export declare const ProviderDoc: DocToken<any, "conversation">;
export declare const UsageDoc: DocToken<any, "conversation">;
export declare const NestedCallDoc: DocToken<any, "task">;
/**
 * An error that is known by its name. It may come from the host or another isolate, where
 * these classes are not the same ones.
 */
declare abstract class Named extends Error {
    static [Symbol.hasInstance](value: unknown): boolean;
}
/** A conversation that was to be idle is at work. */
export declare class ConversationBusy extends Named {
    readonly name = "ConversationBusy";
}
/** A commit read a table after it had written one. */
export declare class ReadAfterWrite extends Named {
    readonly name = "ReadAfterWrite";
}
/** A commit, or a wait for one, inside the callback of a commit: it could only wait for itself. */
export declare class CommitInsideCommit extends Named {
    readonly name = "CommitInsideCommit";
}
/** The callback of a commit took too long, and the commit was rolled back. */
export declare class CommitTimeout extends Named {
    readonly name = "CommitTimeout";
}
/** A transaction or a draft was used after its commit had ended. */
export declare class TransactionEnded extends Named {
    readonly name = "TransactionEnded";
}
/** Storage refused a commit, and nothing of it was applied. */
export declare class StorageRejected extends Named {
    readonly name = "StorageRejected";
}
/** The session ended because its storage failed; cause says how. */
export declare class SessionFailed extends Named {
    readonly name = "SessionFailed";
}
/** The session has been closed. */
export declare class SessionClosed extends Named {
    readonly name = "SessionClosed";
}
/** What belongs to a phase of a task or to a call was used after that had ended. */
export declare class InvocationEnded extends Named {
    readonly name = "InvocationEnded";
}
/** A request to storage was wrong; the session goes on. */
export declare class StorageRequestError extends Named {
    readonly name = "StorageRequestError";
}
/** The world's harness is what an extension works with: host.harness(). */
export type Harness = Sessions.Harness;
/** Opening another one is for programs in Go. */
export declare const Harness: Readonly<{
    open(): Promise<never>;
}>;
/** Storage that lives as long as its object. Not yet. */
export declare class MemoryStorage {
    constructor();
}
/** Not yet. */
export declare function createSession(): Promise<never>;
/** Changes the agent of a conversation inside a commit: null clears a choice, undefined keeps it. */
export declare function configure(tx: Transaction, conversationId: ConversationId, change: AgentChange): Promise<void>;
export { watchEvents } from "harness:internal/events";
