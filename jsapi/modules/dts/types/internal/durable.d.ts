/** The shapes of what the durable engine keeps: documents, entries and tasks. */
import type { Context, JsonValue } from "@earendil-works/chord";
import type { Message, UserMessage } from "@earendil-works/pi-ai";
declare const taskResult: unique symbol;
export type ConversationId = number;
export type EntryId = number;
export type SubmissionId = number;
/** Names a task; Result exists for the type checker only. */
export type TaskId<Result = any> = number & {
    readonly [taskResult]?: Result;
};
/** What is stored in a conversation. */
export interface EntryRecord<Data = unknown> {
    id: EntryId;
    conversationId: ConversationId;
    kind: string;
    model?: Message[];
    data?: Data;
    /** The first entry of the context that this one begins. */
    head?: EntryId;
    byTaskId?: TaskId;
}
/** An entry before it has an id. */
export interface EntryDraft<Data = unknown> {
    kind: string;
    model?: Message[];
    data?: Data;
    head?: EntryId | "self";
}
/** Names a kind of entry. */
export interface EntryToken<Data = unknown> {
    readonly kind: string;
    is(record: EntryRecord): record is EntryRecord<Data>;
}
export type DocScope = "session" | "conversation" | "task";
/** How a document of a kind starts, is versioned and is copied. */
export interface DocDefinition<T = any, S extends DocScope = DocScope> {
    kind: string;
    version: number;
    scope: S;
    initial(): T;
    history?: "latest" | "rewindable";
    fork?: "current" | "initial" | "asOf";
    migrate?(value: unknown, fromVersion: number): T;
    checkpointWhen?(value: T, ops: unknown[], state: {
        deltasSinceBase: number;
    }): boolean;
}
export interface DocFamilyDefinition<T = any, Seed = any, S extends DocScope = DocScope> extends Omit<DocDefinition<T, S>, "initial"> {
    initial(seed: Seed): T;
}
export interface DocToken<T = any, S extends DocScope = DocScope> {
    readonly definition: DocDefinition<T, S>;
}
export interface DocFamilyToken<T = any, Seed = any, S extends DocScope = DocScope> {
    readonly definition: DocFamilyDefinition<T, Seed, S> & {
        readonly family: true;
    };
}
/** Where a document is: the id of its conversation or task, and nothing in the session. */
export type DocAddress<S extends DocScope> = S extends "session" ? [] : [scopeId: number];
/** Reads documents as they were committed. What does not exist is undefined: a read never creates. */
export interface DocumentReader {
    snapshot<T, S extends DocScope>(doc: DocToken<T, S>, ...at: [...address: DocAddress<S>, context: Context]): Promise<Readonly<T> | undefined>;
    snapshot<T, S extends DocScope>(family: DocFamilyToken<T, any, S>, ...at: [...address: DocAddress<S>, key: string, context: Context]): Promise<Readonly<T> | undefined>;
    /** A rewindable document of a conversation as it was at an entry. */
    snapshotAsOf<T>(doc: DocToken<T, "conversation">, id: ConversationId, at: EntryId, context: Context): Promise<Readonly<T> | undefined>;
    snapshotAsOf<T>(family: DocFamilyToken<T, any, "conversation">, id: ConversationId, key: string, at: EntryId, context: Context): Promise<Readonly<T> | undefined>;
}
/** Follows documents. */
export interface DocumentObserver {
    watchDoc<T, S extends DocScope>(doc: DocToken<T, S>, ...at: [...address: DocAddress<S>, context: Context]): Promise<WatchHandle<T> | undefined>;
    watchDoc<T, S extends DocScope>(family: DocFamilyToken<T, any, S>, ...at: [...address: DocAddress<S>, key: string, context: Context]): Promise<WatchHandle<T> | undefined>;
}
/** A watch of a document. It delivers nothing before start. */
export interface WatchHandle<T> {
    /** The value at the beginning. */
    readonly value: Readonly<T>;
    /** Calls back once for each commit that changed the document; null when it was retired. */
    start(listener: (value: Readonly<T> | null, ops: unknown[]) => void | Promise<void>): void;
    stop(): Promise<void>;
    readonly closed: Promise<{
        reason: string;
    }>;
}
export type TaskOutcome<Result = unknown> = {
    status: "completed";
    result: Result;
} | {
    status: "failed";
    error: {
        message: string;
        code?: string;
    };
    result?: Result;
} | {
    status: "aborted";
    reason?: string;
    result?: Result;
} | {
    status: "orphaned";
    reason: string;
} | {
    status: "faulted";
    error: {
        message: string;
    };
};
export type TaskState<Result = unknown> = {
    status: "pending" | "running" | "waiting" | "completing";
    checkpoint?: {
        phase: string;
    };
} | {
    status: "terminal";
    outcome: TaskOutcome<Result>;
};
export interface TaskRecord<Input = unknown, Result = any> {
    id: TaskId<Result>;
    conversationId: ConversationId;
    kind: string;
    version: number;
    input: Input;
    state: TaskState<Result>;
}
/** The record of a task that has ended. */
export type SettledTask<Result = any> = TaskRecord<unknown, Result> & {
    state: Extract<TaskState<Result>, {
        status: "terminal";
    }>;
};
/** To whom new work belongs: it ends with its owner. */
export type Ownership = {
    kind: "conversation";
} | {
    kind: "task";
    taskId: TaskId;
};
export interface TaskOptions {
    ownership: Ownership;
    /** Default: the conversation of the commit. */
    conversationId?: ConversationId;
    /** Only for work of a conversation: it does not keep the conversation busy. */
    background?: boolean;
    abandonOnRestart?: boolean;
}
/** A durable piece of work: a phase runs from a stored checkpoint to the next. */
export interface TaskDefinition<Input = any, Result = any> {
    name: string;
    version: number;
    initial(input: Input): {
        phase: string;
    };
    phases: Readonly<Record<string, (task: any, runtime: any, context: Context) => unknown>>;
    abort(task: any, runtime: any, context: Context): unknown;
    migrate?(input: unknown, checkpoint: unknown, fromVersion: number): unknown;
    hooks?: object;
    /** For the type checker only. */
    readonly result?: Result;
}
export interface TaskToken<Input = any, Result = any, Handlers extends object = object> {
    readonly definition: TaskDefinition<Input, Result>;
    /** For the type checker only. */
    readonly handlers?: Handlers;
}
/** What is handed in to a conversation: input that may start a run. */
export interface InputSubmission {
    type: "input";
    content: UserMessage["content"];
    whenBusy?: "steer" | "followUp" | "reject";
    /** The same id gives the same submission, also after a restart. */
    requestId?: string;
}
export interface Submission {
    readonly id: SubmissionId;
    /** Resolves when it was answered, or cannot be any more. */
    wait(context: Context): Promise<{
        id: SubmissionId;
        status: "done" | "unanswered";
        reason?: string;
    }>;
    abort(context: Context): Promise<"aborted" | "already_placed" | "settled">;
}
/** A conversation, as long as the call that asked for it runs. */
export interface ConversationHandle {
    readonly id: ConversationId;
    submit(submission: InputSubmission, context: Context): Promise<Submission>;
    abort(context: Context, options?: {
        background?: boolean;
    }): Promise<void>;
    waitForIdle(context: Context): Promise<void>;
}
/** One atomic change of the session. It ends with the callback that got it. */
export interface Transaction {
    /** A document to change in place, made when there is none. */
    doc<T, S extends DocScope>(token: DocToken<T, S>, ...address: DocAddress<S>): Promise<T>;
    doc<T, Seed, S extends DocScope>(family: DocFamilyToken<T, Seed, S>, ...at: [...address: DocAddress<S>, key: string, seed: Seed]): Promise<T>;
    retireDoc<S extends DocScope>(token: DocToken<any, S>, ...address: DocAddress<S>): Promise<void>;
    retireDoc<S extends DocScope>(family: DocFamilyToken<any, any, S>, ...at: [...address: DocAddress<S>, key: string]): Promise<void>;
    appendEntry(conversationId: ConversationId, entry: EntryDraft<JsonValue>): Promise<EntryRecord>;
    appendEntry<Data>(token: EntryToken<Data>, conversationId: ConversationId, entry: Omit<EntryDraft<Data>, "kind">): Promise<EntryRecord<Data>>;
    createConversation(value: {
        ownership: {
            kind: "ownerless";
        } | {
            kind: "task";
            taskId: TaskId;
        };
        parent?: {
            conversationId: ConversationId;
            at: EntryId;
        };
    }): Promise<{
        id: ConversationId;
    }>;
    createTask<Input, Result>(task: TaskToken<Input, Result, any>, input: Input, options: TaskOptions): Promise<TaskId<Result>>;
}
export {};
