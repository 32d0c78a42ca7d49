/** The shapes of what the durable engine keeps: documents, entries and tasks. */

import type { Context, JsonValue } from "@earendil-works/chord";
import type { Message, Models, UserMessage } from "@earendil-works/pi-ai";
import type { ExecutionEnv } from "@earendil-works/pi-durable/env";
import type { Agent, RegistrySnapshot } from "harness:internal/declarations";
import type { ContextView } from "harness:internal/sessions";

declare const taskResult: unique symbol;

export type ConversationId = number;
export type EntryId = number;
export type SubmissionId = number;
/** Names a task; Result exists for the type checker only. */
export type TaskId<Result = any> = number & { readonly [taskResult]?: Result };

/** A conversation as it is stored; it never changes. */
export interface ConversationRecord {
  id: ConversationId;
  /** Where a fork left the conversation it came from. */
  parent?: { conversationId: ConversationId; at: EntryId };
  /** The task whose work it is. */
  owner?: { conversationId: ConversationId; taskId: TaskId };
}

/** A change of what models are shown for an earlier entry. */
export type ContextEdit =
  | { target: EntryId; action: "omit" }
  | { target: EntryId; action: "replace"; messages: Message[] };

/** What is stored in a conversation. */
export interface EntryRecord<Data = unknown> {
  id: EntryId;
  conversationId: ConversationId;
  kind: string;
  model?: Message[];
  data?: Data;
  /** The first entry of the context that this one begins. */
  head?: EntryId;
  edits?: ContextEdit[];
  byTaskId?: TaskId;
}

/** An entry before it has an id. */
export interface EntryDraft<Data = unknown> {
  kind: string;
  model?: Message[];
  data?: Data;
  head?: EntryId | "self";
  edits?: ContextEdit[];
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
  checkpointWhen?(value: T, ops: unknown[], state: { deltasSinceBase: number }): boolean;
}

export interface DocFamilyDefinition<T = any, Seed = any, S extends DocScope = DocScope>
  extends Omit<DocDefinition<T, S>, "initial"> {
  initial(seed: Seed): T;
}

export interface DocToken<T = any, S extends DocScope = DocScope> {
  readonly definition: DocDefinition<T, S>;
}

export interface DocFamilyToken<T = any, Seed = any, S extends DocScope = DocScope> {
  readonly definition: DocFamilyDefinition<T, Seed, S> & { readonly family: true };
}

/** Where a document is: the id of its conversation or task, and nothing in the session. */
export type DocAddress<S extends DocScope> = S extends "session" ? [] : [scopeId: number];

/** Reads documents as they were committed. What does not exist is undefined: a read never creates. */
export interface DocumentReader {
  snapshot<T, S extends DocScope>(
    doc: DocToken<T, S>,
    ...at: [...address: DocAddress<S>, context: Context]
  ): Promise<Readonly<T> | undefined>;
  snapshot<T, S extends DocScope>(
    family: DocFamilyToken<T, any, S>,
    ...at: [...address: DocAddress<S>, key: string, context: Context]
  ): Promise<Readonly<T> | undefined>;
  /** A rewindable document of a conversation as it was at an entry. */
  snapshotAsOf<T>(
    doc: DocToken<T, "conversation">,
    id: ConversationId,
    at: EntryId,
    context: Context,
  ): Promise<Readonly<T> | undefined>;
  snapshotAsOf<T>(
    family: DocFamilyToken<T, any, "conversation">,
    id: ConversationId,
    key: string,
    at: EntryId,
    context: Context,
  ): Promise<Readonly<T> | undefined>;
}

/** Follows documents. */
export interface DocumentObserver {
  watchDoc<T, S extends DocScope>(
    doc: DocToken<T, S>,
    ...at: [...address: DocAddress<S>, context: Context]
  ): Promise<WatchHandle<T> | undefined>;
  watchDoc<T, S extends DocScope>(
    family: DocFamilyToken<T, any, S>,
    ...at: [...address: DocAddress<S>, key: string, context: Context]
  ): Promise<WatchHandle<T> | undefined>;
}

/** A watch of a document. It delivers nothing before start. */
export interface WatchHandle<T> {
  /** The value at the beginning. */
  readonly value: Readonly<T>;
  /** Calls back once for each commit that changed the document; null when it was retired. */
  start(listener: (value: Readonly<T> | null, ops: unknown[], context: Context) => void | Promise<void>): void;
  stop(): Promise<WatchEnd>;
  readonly closed: Promise<WatchEnd>;
}

/** Why a watch has ended. */
export interface WatchEnd {
  reason: "stopped" | "cancelled" | "session_closed" | "session_failed" | "retired" | "listener_error";
  error?: Error;
}

export type TaskOutcome<Result = unknown> =
  | { status: "completed"; result: Result }
  | { status: "failed"; error: { message: string; detail?: JsonValue }; result?: Result }
  | { status: "aborted"; reason?: string; result?: Result }
  | { status: "orphaned"; reason: string }
  | { status: "faulted"; error: { message: string; detail?: JsonValue } };

/** How a task waits: for all, or also ending the others when one does not complete. */
export type JoinPolicy = "allSettled" | "failFast";

export type TaskState<Result = unknown, State extends { phase: string } = any> =
  | { status: "pending"; checkpoint: State }
  | { status: "running"; checkpoint: State }
  | { status: "waiting"; checkpoint: State; on: TaskId[]; policy: JoinPolicy }
  | { status: "completing"; outcome: TaskOutcome<Result> }
  | { status: "terminal"; outcome: TaskOutcome<Result> };

export interface TaskRecord<Input = unknown, Result = any> {
  id: TaskId<Result>;
  conversationId: ConversationId;
  kind: string;
  version: number;
  input: Input;
  /** The task whose work it is; none for a conversation's own. */
  owner?: TaskId;
  background: boolean;
  abortRequested: boolean;
  abortReason?: string;
  /** Milliseconds since 1970. */
  startedAt?: number;
  endedAt?: number;
  state: TaskState<Result>;
}

/** A task while one of its phases runs. */
export type RunningTask<Input = any, State extends { phase: string } = any, Result = any> = TaskRecord<Input, Result> & {
  state: { status: "running"; checkpoint: State };
};

/** What a commit of a task makes of it; undefined leaves it as it is. */
export type NextTaskState<State extends { phase: string } = any, Result = any> =
  | { status: "running"; checkpoint: State }
  | { status: "waiting"; checkpoint: State; on: readonly TaskId[]; policy: JoinPolicy }
  | { status: "terminal"; outcome: TaskOutcome<Result> };

/** The record of a task that has ended. */
export type SettledTask<Result = any> = TaskRecord<unknown, Result> & {
  state: Extract<TaskState<Result>, { status: "terminal" }>;
};

/** To whom a new conversation belongs. */
export type ConversationOwnership = { kind: "ownerless" } | { kind: "task"; taskId: TaskId };

/** To whom new work belongs: it ends with its owner. */
export type Ownership = { kind: "conversation" } | { kind: "task"; taskId: TaskId };

export interface TaskOptions {
  ownership: Ownership;
  /** Default: the conversation of the commit. */
  conversationId?: ConversationId;
  /** Only for work of a conversation: it does not keep the conversation busy. */
  background?: boolean;
  abandonOnRestart?: boolean;
}

/** The stored value of a name: the first candidate that anybody gave. */
export interface Memo {
  <T extends JsonValue>(name: string, context: Context): Promise<T | undefined>;
  <T extends JsonValue>(name: string, candidate: T, context: Context): Promise<T>;
}

/** Calls the handlers that extensions have attached to a task. */
export interface HookRunner<Handlers extends object = any> {
  /** Calls invoke with each handler under a name, in order; what it throws is reported. */
  each<K extends keyof Handlers>(
    name: K,
    invoke: (handler: NonNullable<Handlers[K]>) => void | Promise<void>,
  ): Promise<void>;
}

/** What a phase of a task works with. Everything fails once the phase has returned. */
export interface TaskRuntime<State extends { phase: string } = any, Result = any, Handlers extends object = any>
  extends DocumentReader,
    DocumentObserver {
  readonly taskId: TaskId<Result>;
  readonly conversationId: ConversationId;
  /** Aborted when the phase is to end. */
  readonly signal: AbortSignal;
  readonly registry: RegistrySnapshot;
  readonly models: Models;
  readonly settings: any;
  readonly hooks: HookRunner<Handlers>;
  agent(context: Context): Promise<Agent>;
  env(context: Context): Promise<ExecutionEnv | undefined>;
  /** Changes the session and, with what is returned, the task's own state, in one commit. */
  commit(
    change: (
      tx: Transaction,
      current: RunningTask<any, State, Result>,
    ) => NextTaskState<State, Result> | undefined | void | Promise<NextTaskState<State, Result> | undefined | void>,
    context: Context,
  ): Promise<void>;
  readonly memo: Memo;
  conversation(id: ConversationId, context: Context): Promise<ConversationHandle | undefined>;
  getTask<R>(id: TaskId<R>, context: Context): Promise<TaskRecord<unknown, R> | undefined>;
  waitForTask<R>(id: TaskId<R>, context: Context): Promise<SettledTask<R>>;
  /** How tasks have ended, in the order of ids; rejects when one has not. */
  outcomes<R>(ids: readonly TaskId<R>[], context: Context): Promise<TaskOutcome<R>[]>;
  /** Aborts a task that this one owns, and waits until it has ended. */
  abortOwned(id: TaskId, context: Context): Promise<void>;
  /** The live tasks that this one owns. */
  ownedTasks(context: Context): Promise<TaskRecord[]>;
  entry(id: EntryId, context: Context): Promise<EntryRecord | undefined>;
  entry<Data>(token: EntryToken<Data>, id: EntryId, context: Context): Promise<EntryRecord<Data> | undefined>;
  context(id: ConversationId, context: Context, options?: { at?: EntryId }): Promise<ContextView>;
  /** Milliseconds since 1970, by the harness's clock. */
  now(): number;
  /** Tells the world's owner of what went wrong and fails nothing. */
  report(error: unknown): void;
  /** Waits until a time of now(). */
  sleep(until: number, context: Context): Promise<void>;
}

/** A durable piece of work: a phase runs from a stored checkpoint to the next. */
export interface TaskDefinition<Input = any, Result = any, State extends { phase: string } = any, Handlers extends object = any> {
  name: string;
  version: number;
  initial(input: Input): State;
  phases: Readonly<
    Record<
      string,
      (task: RunningTask<Input, any, Result>, runtime: TaskRuntime<State, Result, Handlers>, context: Context) => unknown
    >
  >;
  /** Decides how an aborted task ends, and must commit that. */
  abort(task: RunningTask<Input, any, Result>, runtime: TaskRuntime<State, Result, Handlers>, context: Context): unknown;
  /** Makes input and checkpoint of an older version those of this one. */
  migrate?(input: any, checkpoint: any, fromVersion: number): { input: Input; checkpoint: State };
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

/** An entry that is handed in: it is appended at the next boundary. */
export interface WriteSubmission {
  type: "write";
  entry: EntryDraft<JsonValue>;
  requestId?: string;
}

export type SubmissionDraft = InputSubmission | WriteSubmission;

/** What was handed in, and what became of it. */
export interface SubmissionRecord {
  id: SubmissionId;
  conversationId: ConversationId;
  requestId?: string;
  type: "input" | "write";
  status: "queued" | "placed" | "done" | "unanswered";
  entry?: EntryId;
  answer?: EntryId;
  reason?: string;
  detail?: JsonValue;
}

export type SettledSubmission = SubmissionRecord & { status: "done" | "unanswered" };

export interface Submission {
  readonly id: SubmissionId;
  status(context: Context): Promise<SubmissionRecord>;
  /** Resolves when it was answered, or cannot be any more. */
  wait(context: Context): Promise<SettledSubmission>;
  abort(context: Context): Promise<"aborted" | "already_placed" | "settled">;
}

/** A conversation, as long as the call that asked for it runs. */
export interface ConversationHandle {
  readonly id: ConversationId;
  submit(submission: InputSubmission, context: Context): Promise<Submission>;
  abort(context: Context, options?: { background?: boolean }): Promise<void>;
  waitForIdle(context: Context): Promise<void>;
}

export type Cursor = Readonly<Record<string, JsonValue>>;

/** A part of a scan; next, if there is more, is where the following part begins. */
export interface Page<T> {
  items: T[];
  next?: Cursor;
}

/** By id; oldest first or newest first. */
export type ScanOrder = "ascending" | "descending";

export interface ConversationQuery {
  ownerConversationId?: ConversationId;
  ownerTaskId?: TaskId;
  order?: ScanOrder;
}

/** Newest first, unless order says otherwise. */
export interface EntryQuery {
  conversationId: ConversationId;
  minEntryId?: EntryId;
  maxEntryId?: EntryId;
  order?: ScanOrder;
}

export interface TaskQuery {
  conversationId?: ConversationId;
  kind?: string;
  status?: TaskState["status"];
  abortRequested?: boolean;
  background?: boolean;
  order?: ScanOrder;
}

export interface SubmissionQuery {
  conversationId?: ConversationId;
  status?: SubmissionRecord["status"];
  order?: ScanOrder;
}

/** One atomic change of the session. It ends with the callback that got it. */
export interface Transaction {
  /** A document to change in place, made when there is none. */
  doc<T, S extends DocScope>(token: DocToken<T, S>, ...address: DocAddress<S>): Promise<T>;
  doc<T, Seed, S extends DocScope>(
    family: DocFamilyToken<T, Seed, S>,
    ...at: [...address: DocAddress<S>, key: string, seed: Seed]
  ): Promise<T>;
  retireDoc<S extends DocScope>(token: DocToken<any, S>, ...address: DocAddress<S>): Promise<void>;
  retireDoc<S extends DocScope>(
    family: DocFamilyToken<any, any, S>,
    ...at: [...address: DocAddress<S>, key: string]
  ): Promise<void>;
  appendEntry(conversationId: ConversationId, entry: EntryDraft<JsonValue>): Promise<EntryRecord>;
  appendEntry<Data>(
    token: EntryToken<Data>,
    conversationId: ConversationId,
    entry: Omit<EntryDraft<Data>, "kind">,
  ): Promise<EntryRecord<Data>>;
  // Tables are read before the first of them is written: afterwards ReadAfterWrite is thrown.
  conversation(id: ConversationId): Promise<ConversationRecord | undefined>;
  entry(id: EntryId): Promise<EntryRecord | undefined>;
  /** Undefined also for an entry of another kind. */
  entry<Data>(token: EntryToken<Data>, id: EntryId): Promise<EntryRecord<Data> | undefined>;
  task(id: TaskId): Promise<TaskRecord | undefined>;
  submission(id: SubmissionId): Promise<SubmissionRecord | undefined>;
  submissionByRequest(conversationId: ConversationId, requestId: string): Promise<SubmissionRecord | undefined>;
  /** The newest visible entry with a head. */
  latestHeadMarker(conversationId: ConversationId): Promise<EntryRecord | undefined>;
  scanConversations(query: ConversationQuery, limit: number, cursor?: Cursor): Promise<Page<ConversationRecord>>;
  scanEntries(query: EntryQuery, limit: number, cursor?: Cursor): Promise<Page<EntryRecord>>;
  scanTasks(query: TaskQuery, limit: number, cursor?: Cursor): Promise<Page<TaskRecord>>;

  createConversation(options: {
    ownership: ConversationOwnership;
    parent?: { conversationId: ConversationId; at: EntryId };
  }): Promise<ConversationRecord>;
  forkConversation(
    parent: ConversationId,
    at: EntryId,
    options: { ownership: ConversationOwnership },
  ): Promise<ConversationRecord>;
  /** Hands something in, as a conversation's submit does. */
  submit(conversationId: ConversationId, submission: SubmissionDraft): Promise<SubmissionRecord>;
  /** Stores a record as it is: nothing is placed, and nothing waits. */
  createSubmission(submission: Omit<SubmissionRecord, "id">): Promise<SubmissionRecord>;
  settleSubmission(
    id: SubmissionId,
    settlement: { status: "done"; answer: EntryId } | { status: "unanswered"; reason: string; detail?: JsonValue },
  ): Promise<void>;
  placeSubmission(id: SubmissionId, entry: EntryId): Promise<void>;
  createTask<Input, Result>(
    task: TaskToken<Input, Result, any>,
    input: Input,
    options: TaskOptions,
  ): Promise<TaskId<Result>>;
}
