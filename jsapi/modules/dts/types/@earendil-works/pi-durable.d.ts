/**
 * What an extension is made of: tools, prompt sections, hooks, wraps, tasks and
 * documents. The builders only describe; the host validates what they made.
 */
import type { Agent, CompactionHandlers, DocDefinition, DocFamilyDefinition, DocFamilyToken, DocToken, EntryToken, Extension, GenerationHandlers, KindHandlers, KindHook, Section, SectionRender, SectionWrap, TaskDefinition, TaskHook, TaskToken, ToolHandlers, ToolRegistration, ToolWrap, Transaction } from "harness:internal/declarations";
export type { Context } from "@earendil-works/chord/context";
export type * from "harness:internal/declarations";
/** The conversation that every session has. */
export declare const ROOT_CONVERSATION_ID = 1;
/** When a conversation is shortened; amounts in tokens. */
export declare const DEFAULT_COMPACTION_POLICY: Readonly<{
    enabled: boolean;
    reserveTokens: number;
    keepRecentTokens: number;
    backgroundMarginTokens: number;
}>;
/** How failed requests are tried again: the delay doubles up to its limit. */
export declare const DEFAULT_RETRY_POLICY: Readonly<{
    enabled: boolean;
    maxAttempts: number;
    baseDelayMs: number;
    maxDelayMs: number;
}>;
/** Gives an extension its type. */
export declare function defineExtension(extension: Extension): Extension;
/** Gives a tool its type: the arguments of execute follow from parameters. */
export declare function defineTool<P extends object, Details = unknown>(tool: ToolRegistration<P, Details>): ToolRegistration<P, Details>;
/** A part of the system prompt. render runs before each request; undefined leaves it out. */
export declare function section(key: string, render: SectionRender, options?: {
    tag?: boolean;
}): Section;
/** Attaches handlers to a task, or one handler to a kind of hook. */
export declare function hook<H extends object>(task: TaskToken<any, any, H>, handlers: Partial<H>): TaskHook;
export declare function hook<K extends keyof KindHandlers>(kind: K, handler: KindHandlers[K]): KindHook<K>;
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
export declare function defineDoc<T>(definition: DocDefinition<T>): DocToken<T>;
/** Makes the token of documents that are told apart by a key. */
export declare function defineDocFamily<T, Seed>(definition: DocFamilyDefinition<T, Seed>): DocFamilyToken<T, Seed>;
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
export declare const AgentDoc: DocToken<Agent>;
export declare const LiveDoc: DocToken;
export declare const InboxDoc: DocToken;
export declare const ProviderDoc: DocToken;
export declare const UsageDoc: DocToken;
export declare const NestedCallDoc: DocToken;
/** A conversation that was to be idle is at work. */
export declare class ConversationBusy extends Error {
    readonly name = "ConversationBusy";
}
/** A commit read a table after it had written one. */
export declare class ReadAfterWrite extends Error {
    readonly name = "ReadAfterWrite";
}
/** Storage refused a commit, and nothing of it was applied. */
export declare class StorageRejected extends Error {
    readonly name = "StorageRejected";
}
/** The session ended because its storage failed; cause says how. */
export declare class SessionFailed extends Error {
    readonly name = "SessionFailed";
}
/** A request to storage was wrong; the session goes on. */
export declare class StorageRequestError extends Error {
    readonly name = "StorageRequestError";
}
/** A harness over a session of the durable engine. */
export declare class Harness {
    static open(): Promise<never>;
}
/** Storage that lives as long as its object. */
export declare class MemoryStorage {
    constructor();
}
export declare function createSession(): Promise<never>;
export declare function createRegistry(): never;
/** Changes the agent of a conversation inside a commit. */
export declare function configure(tx: Transaction, conversationId: number, change: Partial<Agent>): Promise<void>;
export declare function watchEvents(): Promise<never>;
