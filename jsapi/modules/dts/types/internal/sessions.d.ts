/** The open harness: conversations, what was handed in to them, and what goes on. */
import type { Context, JsonValue } from "@earendil-works/chord";
import type { Message, Models, Usage } from "@earendil-works/pi-ai";
import type { Agent, AgentChange, Extension, RegistrySnapshot } from "harness:internal/declarations";
import type { ConversationId, ConversationOwnership, ConversationQuery, ConversationRecord, Cursor, DocAddress, DocFamilyToken, DocScope, DocToken, DocumentObserver, DocumentReader, EntryId, EntryQuery, EntryRecord, Page, SettledSubmission, SettledTask, Submission, SubmissionDraft, SubmissionId, SubmissionQuery, SubmissionRecord, TaskId, TaskQuery, TaskRecord, Transaction, WatchHandle } from "harness:internal/durable";
/** A change of the session. Its draft ends with it, and what it returns is the commit's result. */
export type Change<T> = (tx: Transaction) => T | Promise<T>;
/** How a conversation begins. */
export interface ConversationOptions {
    ownership: ConversationOwnership;
    /** What is chosen for it, over what it begins with. */
    agent?: AgentChange;
    /** Runs in the commit that makes it, after all else. Tables cannot be read there. */
    init?: (tx: Transaction, id: ConversationId) => void | Promise<void>;
}
/** What counts of a conversation for a model. */
export interface ContextView {
    /** The entry that the context begins with, if not with the conversation. */
    head?: EntryRecord;
    entries: EntryRecord[];
    /** What each of entries contributes. */
    contributions: Message[][];
    messages: Message[];
}
/** All that there is to see of a conversation; docs has the built-in documents by kind. */
export interface ConversationView {
    conversation: ConversationRecord;
    entries: EntryRecord[];
    docs: Record<string, any>;
}
/** A value that follows what is committed, until it is disposed of. */
export interface AttachedState<T> {
    readonly value: T;
    /** Calls back at once, and after each commit that changed the value. Returns what ends it. */
    subscribe(listener: (value: T, context: Context, change: {
        kind: "hydrate" | "update";
        sequence: number;
    }) => void): () => void;
    dispose(): void;
}
/** A conversation. Two handles of one id do the same. */
export interface Conversation {
    readonly id: ConversationId;
    /** Resolves when it is stored, not when it is answered. */
    submit(submission: SubmissionDraft, context: Context): Promise<Submission>;
    agent(context: Context): Promise<Agent>;
    configure(change: AgentChange, context: Context): Promise<void>;
    /** A commit in which new tasks belong to this conversation. */
    commit<T>(change: Change<T>, context: Context): Promise<T>;
    /** What a model is shown now, or was as of an entry. */
    context(context: Context, options?: {
        at?: EntryId;
    }): Promise<ContextView>;
    entries(query: Omit<EntryQuery, "conversationId">, limit: number, cursor: Cursor | undefined, context: Context): Promise<Page<EntryRecord>>;
    fork(at: EntryId, options: ConversationOptions, context: Context): Promise<Conversation>;
    /** Begins to shorten the conversation; resolves to the task that does. */
    compact(instructions: string | undefined, context: Context): Promise<TaskId>;
    /** Has the context begin anew, with this text if there is one. */
    reset(handoff: string | undefined, context: Context): Promise<void>;
    /** Ends what goes on, and resolves once it has ended. background reaches background work too. */
    abort(context: Context, options?: {
        background?: boolean;
    }): Promise<void>;
    waitForIdle(context: Context): Promise<void>;
    viewState(context: Context): Promise<AttachedState<ConversationView>>;
    watch(context: Context): Promise<WatchHandle<ConversationView>>;
}
/** What a live task does. */
export type InspectedState = {
    kind: "running";
} | {
    kind: "ready";
    migrates: boolean;
} | {
    kind: "waiting";
    on: TaskId[];
} | {
    kind: "completing";
} | {
    kind: "blocked";
    reason: string;
    error?: unknown;
};
export interface Inspection {
    scheduling: "paused" | "running" | "closing";
    tasks: {
        record: TaskRecord;
        state: InspectedState;
    }[];
    /** Those that are not settled. */
    submissions: SubmissionRecord[];
}
/** What was used: models by `provider/model`, tools by name. */
export interface UsageTotals {
    models: Record<string, Usage>;
    tools: Record<string, Usage>;
}
/** A live task as the graph of tasks shows it. */
export interface TaskGraphNode {
    id: TaskId;
    kind: string;
    conversationId: ConversationId;
    owner?: TaskId;
    background: boolean;
    abortRequested: boolean;
    state: {
        status: string;
        phase?: string;
        on?: TaskId[];
        policy?: string;
        outcome?: string;
    };
    conversations: ConversationId[];
}
export interface TaskGraph {
    tasks: Record<string, TaskGraphNode>;
}
/**
 * The registry of the harness. What is installed at run time stays until it is
 * uninstalled, or the next commit goes live.
 */
export interface Registry {
    snapshot(): RegistrySnapshot;
    /** Installs an extension, or puts it in the place of the one of its name. Throws, and changes nothing, when it is invalid. */
    install(extension: Extension): void;
    uninstall(extension: string | {
        readonly name: string;
    }): void;
}
/**
 * The harness of the world. What a context ends is the wait for a call, not what the
 * call began.
 */
export interface Harness extends DocumentReader, DocumentObserver {
    /** What is installed, and installing at run time. */
    readonly registry: Registry;
    readonly models: Models;
    documentState<T, S extends DocScope>(doc: DocToken<T, S>, ...at: [...address: DocAddress<S>, context: Context]): Promise<AttachedState<T | null> | undefined>;
    documentState<T, S extends DocScope>(family: DocFamilyToken<T, any, S>, ...at: [...address: DocAddress<S>, key: string, context: Context]): Promise<AttachedState<T | null> | undefined>;
    /** Changes the session: all of it, or nothing when the change throws. */
    commit<T>(change: Change<T>, context: Context): Promise<T>;
    /** The conversation with the id 1; the options count when it is made. */
    root(context: Context, options?: Omit<ConversationOptions, "ownership">): Promise<Conversation>;
    conversation(id: ConversationId, context: Context): Promise<Conversation | undefined>;
    createConversation(options: ConversationOptions, context: Context): Promise<Conversation>;
    /** Has tasks run, if they do not yet. */
    resume(): void;
    waitForIdle(context: Context): Promise<void>;
    inspect(context: Context): Promise<Inspection>;
    usage(context: Context): Promise<UsageTotals>;
    getTask<Result>(id: TaskId<Result>, context: Context): Promise<TaskRecord<unknown, Result> | undefined>;
    waitForTask<Result>(id: TaskId<Result>, context: Context): Promise<SettledTask<Result>>;
    abortTask(id: TaskId, context: Context): Promise<"marked" | "terminal">;
    /** Has a task run again that was cut off too often. */
    retryTask(id: TaskId, context: Context): Promise<void>;
    taskGraph(context: Context): Promise<AttachedState<TaskGraph>>;
    watchTaskGraph(context: Context): Promise<WatchHandle<TaskGraph>>;
    submission(id: SubmissionId, context: Context): Promise<Submission | undefined>;
    abortSubmission(id: SubmissionId, context: Context): Promise<"aborted" | "already_placed" | "settled" | "not_found">;
    entry(id: EntryId, context: Context): Promise<EntryRecord | undefined>;
    scanConversations(query: ConversationQuery, limit: number, cursor?: Cursor, context?: Context): Promise<Page<ConversationRecord>>;
    scanTasks(query: TaskQuery, limit: number, cursor?: Cursor, context?: Context): Promise<Page<TaskRecord>>;
    scanSubmissions(query: SubmissionQuery, limit: number, cursor?: Cursor, context?: Context): Promise<Page<SubmissionRecord>>;
    /** Rejects: who opened the harness closes it. */
    close(context: Context): Promise<never>;
}
export type { JsonValue, SettledSubmission };
