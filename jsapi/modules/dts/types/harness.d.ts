/** The host of an extension, and tokens for what extensions offer and ask for. */
import { defineService, type JsonValue, type ServiceToken } from "@earendil-works/chord";
import type { Models } from "@earendil-works/pi-ai";
import type { Static, TSchema } from "typebox";
import type { Command, Extension, RoutineHandler } from "harness:internal/declarations";
import type { DocToken, SubmissionRecord, Transaction } from "harness:internal/durable";
import type { Harness } from "harness:internal/sessions";
export { defineService };
export type { JsonValue, ServiceToken };
export type { Agent, Arguments, Command, Diagnostic, Extension, HookApi, HookedCall, HookedResult, HookKind, Instance, KindHook, Manifest, RoutineHandler, Scope, Section, TaskHook, ToolCallDecision, ToolExecutionApi, ToolRegistration as Tool, ToolResult, } from "harness:internal/declarations";
/** What server.ts may export as its default: an extension, or what makes one. */
export type ExtensionFactory = (host: Host) => Extension | Promise<Extension>;
/** The names of the errors that the host throws, in their `name`. */
export type HostErrorName = "GenerationClosed" | "StagingClosed" | "ExtensionTimeout" | "ExtensionBusy" | "IsolateReplaced" | "NotAMethod" | "NotAvailable" | "NotProvided" | "CallDepth" | "CommitInsideCommit" | "CommitTimeout" | "SettingsInvalid" | "DataCloneError";
/** The codes of file errors, in their `code`. */
export type FileErrorCode = "ENOENT" | "EEXIST" | "ENOTDIR" | "EISDIR" | "EACCES" | "ENOTEMPTY" | "EINVAL" | "EXDEV" | "EROFS" | "ENOSPC" | (string & {});
/** A file operation that failed. */
export interface FileSystemError extends Error {
    code: FileErrorCode;
    /** World path. */
    path: string;
    syscall: string;
}
/** A git command that failed; the message is what it wrote to stderr. */
export interface GitError extends Error {
    code: number;
    args: string[];
}
export type FileKind = "file" | "directory" | "symlink" | "other";
/** A member of a directory. */
export interface Entry {
    name: string;
    kind: FileKind;
}
/** What a path is. */
export interface FileStat {
    kind: FileKind;
    /** Bytes. */
    size: number;
    /** Permission bits. */
    mode: number;
    /** Milliseconds since the Unix epoch. */
    mtimeMs: number;
}
/** A change of a watched path, or of a direct member of a watched directory. */
export interface FileChange {
    kind: "create" | "change" | "remove";
    /** World path of what changed. */
    path: string;
}
/** A running watch. It also ends with the generation or resource that started it. */
export interface Watch extends Disposable {
    close(): void;
}
/** Files of the world. Paths are absolute. Rejections are FileSystemErrors. */
export interface FileSystem {
    /** The text of a UTF-8 file. */
    read(path: string): Promise<string>;
    readBytes(path: string): Promise<Uint8Array>;
    /** Replaces the file in one step: a reader sees the old or the new content. */
    write(path: string, data: string | Uint8Array): Promise<void>;
    append(path: string, data: string | Uint8Array): Promise<void>;
    /** Members in the order of their names. */
    list(path: string): Promise<Entry[]>;
    /** Follows symbolic links. */
    stat(path: string): Promise<FileStat>;
    /** Does not follow the last symbolic link. */
    lstat(path: string): Promise<FileStat>;
    mkdir(path: string, options?: {
        recursive?: boolean;
    }): Promise<void>;
    remove(path: string, options?: {
        recursive?: boolean;
    }): Promise<void>;
    rename(from: string, to: string): Promise<void>;
    /** Calls back until closed; the path need not exist yet. */
    watch(path: string, callback: (change: FileChange) => void | Promise<void>): Watch;
}
export type OutputStream = "stdout" | "stderr";
export interface ExecOptions {
    /** World path; default `/`. */
    cwd?: string | undefined;
    /** Added to the world's environment. */
    env?: Record<string, string> | readonly (readonly [name: string, value: string])[] | undefined;
    /** Seconds until the whole process tree is ended. */
    timeout?: number | undefined;
    /** Conversations that this command works for: it is listed as a task of each, and aborting one ends it and rejects. */
    conversations?: readonly number[] | undefined;
    signal?: AbortSignal | undefined;
    /** Whole characters, in order. */
    onOutput?: ((text: string, stream: OutputStream) => void) | undefined;
    stdin?: string | Uint8Array | undefined;
    /** Bytes kept of each stream; default 10 MiB. What is dropped is the middle. */
    maxBytes?: number | undefined;
}
/** How a command ended. A code that is not zero is no error. */
export interface ExecResult {
    code: number;
    stdout: string;
    stderr: string;
    signal?: string;
    timedOut?: boolean;
}
/** A service of another extension: its methods, each of which returns a promise. */
export type Remote<T> = {
    readonly [K in keyof T as T[K] extends (...args: any[]) => any ? K : never]: T[K] extends (...args: infer Args) => infer Result ? (...args: Args) => Promise<Awaited<Result>> : never;
};
/** A service whose type nobody stated: any method, any result. */
export type AnyRemote = Readonly<Record<string, any>>;
/** A value that nobody can change. */
export type Frozen<T> = T extends (...args: any[]) => any ? T : T extends object ? {
    readonly [K in keyof T]: Frozen<T[K]>;
} : T;
/** An event of the world's event log. */
export interface WorldEvent<Payload = JsonValue> {
    id: number;
    type: string;
    payload: Payload;
    /** Milliseconds since the Unix epoch. */
    time: number;
    extension: string;
    conversationId?: number;
}
export interface EventFilter {
    types?: readonly string[];
    conversationId?: number;
    from?: "start" | "now";
    maxFailures?: number;
}
export interface EventLog {
    read(query?: {
        types?: readonly string[];
        after?: number;
        limit?: number;
    }): Promise<WorldEvent[]>;
    follow(query?: {
        types?: readonly string[];
        after?: number;
    }): AsyncIterable<WorldEvent>;
    /** How far each reactor has got, and why those are paused that are. */
    consumers(): Promise<{
        owner?: string;
        name: string;
        after: number;
        failures?: number;
        paused?: string;
    }[]>;
    /** Lets a paused reactor of this extension go on. */
    resume(name: string): Promise<void>;
}
export type RoutineTrigger = {
    kind: "cron";
    expression: string;
    timeZone?: string;
} | {
    kind: "interval";
    seconds: number;
} | {
    kind: "once";
    at: number;
};
export interface Routine {
    name: string;
    trigger: RoutineTrigger;
    payload?: JsonValue;
    enabled?: boolean;
    maxFailures?: number;
    catchUp?: "skip" | "once";
}
export interface Routines {
    add(routine: Routine): Promise<string>;
    remove(id: string): Promise<void>;
    list(): Promise<(Routine & {
        id: string;
        failures: number;
        lastError?: string;
        next?: number;
    })[]>;
}
export interface SubmissionStorage {
    scanSubmissions(query: {
        conversationId?: number;
        status?: "queued" | "placed" | "done" | "unanswered";
    }, limit: number, cursor?: JsonValue): Promise<{
        items: SubmissionRecord[];
        next?: JsonValue;
    }>;
}
/**
 * What an extension gets from its host. It is valid as long as its generation;
 * then every member fails with GenerationClosed. What is started in it ends with it.
 */
export interface Host {
    /** The extension's name. */
    readonly name: string;
    /** The commit that the extension was loaded from. */
    readonly generation: string;
    readonly fs: FileSystem;
    /**
     * Runs a command in the world: a string under the shell, an array without one.
     * Rejects when the program cannot be started.
     */
    exec(command: string | readonly string[], options?: ExecOptions): Promise<ExecResult>;
    /** Runs git in a directory of the world; resolves to its trimmed output, rejects with a GitError. */
    git(cwd: string, ...args: string[]): Promise<string>;
    /** The world's settings.json, `{}` when there is none. A schema validates it and fills in defaults. */
    settings(): Frozen<Record<string, any>>;
    settings<S extends TSchema>(schema: S): Frozen<Static<S>>;
    /** Offers a service from the moment this commit goes live. Only while the factory runs. */
    implement<T extends object>(api: string | ServiceToken<T>, value: T): void;
    /**
     * A service that must exist. Each call reaches the provider that is current then,
     * so a factory may take the service and not call it: that fails with NotAvailable.
     */
    need(api: string): AnyRemote;
    need<T extends object>(api: string | ServiceToken<T>): Remote<T>;
    /** The same, or undefined when nobody offers it: in a factory, none of the extensions before this one. */
    want(api: string): AnyRemote | undefined;
    want<T extends object>(api: string | ServiceToken<T>): Remote<T> | undefined;
    /** Called when the commit has gone live; an error is a notice. Only while the factory runs. */
    onOpen(callback: () => void | Promise<void>): void;
    /** Called when the generation has drained, last registered first. Only while the factory runs. */
    onClose(callback: () => void | Promise<void>): void;
    /**
     * The value that create made the first time, kept across commits: a changed create
     * does nothing to a value that exists, so give the key a new name. create gets a
     * host that lives as long as the resource; use that one, not the factory's. What
     * create starts lives until dispose, when the extension goes or the harness stops.
     */
    resource<T>(key: string, create: (host: Host) => T, dispose?: (value: Awaited<T>) => void | Promise<void>): T;
    /** Tells the world's owner something. */
    notice(message: string): void;
    /** The open harness. Throws NotAvailable while the first generation is loading: ask for it from onOpen, or later. */
    harness(): Harness;
    /** The configured models. */
    models(): Models;
    readonly storage: SubmissionStorage;
    /** What hosts keep of a conversation, such as its title. */
    readonly metadata: DocToken<Record<string, JsonValue>, "conversation">;
    /** Tells of an event, in the commit of tx or in one of its own; gives the event's id. */
    emit(type: string, payload: JsonValue, tx?: Transaction, about?: {
        conversationId: number;
    }): Promise<number>;
    /**
     * Shows the events of the log to a handler, one after another, each in a commit that
     * also stores how far it has got: no effects outside of the session, and no other
     * commit. An event is shown again until its commit is stored. Only while the factory runs.
     */
    react(name: string, filter: EventFilter, handler: (event: WorldEvent, tx: Transaction) => void | Promise<void>): void;
    readonly eventLog: EventLog;
    /** Not yet: throws NotAvailable. */
    readonly routines: Routines;
    /** Not yet: throws NotAvailable. */
    capability<T = unknown>(kind: string): T | undefined;
}
/** Gives a command its type. */
export declare function defineCommand(command: Command): Command;
/** Gives a routine handler its type. */
export declare function defineRoutine(routine: RoutineHandler): RoutineHandler;
/** The kinds of hooks, as manifests and hook() spell them. */
export declare const hookKinds: Readonly<{
    readonly beforeAgentStart: "before_agent_start";
    readonly toolCall: "tool_call";
    readonly toolResult: "tool_result";
    readonly agentEnd: "agent_end";
    readonly sessionStart: "session_start";
    readonly sessionShutdown: "session_shutdown";
    readonly tool: "Tool";
    readonly command: "Command";
}>;
