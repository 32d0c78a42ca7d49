/** The shapes of what extensions declare. */

import type { Context } from "@earendil-works/chord/context";
import type {
  AssistantMessage,
  ImageContent,
  Message,
  Model,
  Models,
  TextContent,
  ThinkingLevel,
  ToolCall,
  Usage,
} from "@earendil-works/pi-ai";
import type { Static, TSchema } from "typebox";

/** A value that JSON can express. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The kinds of hooks beside the handlers of tasks, and what extensions bring. */
export type HookKind =
  | "before_agent_start"
  | "tool_call"
  | "tool_result"
  | "agent_end"
  | "session_start"
  | "session_shutdown"
  | "Tool"
  | "Command";

/** Where an instance of an extension lives. */
export type Scope = "global" | "agent" | "session";

/** What happened beside the result, for people and models. */
export interface Diagnostic {
  severity: "info" | "warn" | "error";
  message: string;
}

/** How many bytes and lines of a tool's output a model sees, and which end of it. */
export interface OutputLimits {
  maxBytes?: number;
  maxLines?: number;
  retain?: "head" | "tail";
}

/** What a call gives back. Say output or, as older extensions do, content. */
export interface ToolResult<Details = unknown> {
  output?: string | readonly (TextContent | ImageContent)[];
  content?: readonly (TextContent | ImageContent)[];
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
  terminate?: boolean;
  handoff?: Json;
}

/** What a call can do while it runs. Every member rejects once the call settled. */
export interface ToolExecutionApi {
  readonly taskId: number | undefined;
  /** Undefined for a call that no conversation makes. */
  readonly conversationId: number | undefined;
  readonly callId: string;
  readonly models: Models;
  readonly agent: Agent;
  /** Adds text to the output that is shown and kept while the tool runs. */
  output(chunk: string, skipped?: { bytes: number; lines: number }): void;
  /** The end of the output so far. */
  outputWindow(): string;
  diagnostic(diagnostic: Diagnostic): void;
  /** Replaces the details; resolves once they are stored. */
  details(details: unknown): Promise<void>;
  /** The stored value of name, or the first candidate, stored now. */
  memo<T>(name: string, candidate?: T): Promise<T>;
  commit<T>(callback: (tx: Transaction) => T | Promise<T>): Promise<T>;
  createTask<Input, Result>(
    task: TaskToken<Input, Result>,
    input: Input,
    options?: { background?: boolean; abandonOnRestart?: boolean },
  ): Promise<number>;
  getTask(id: number): Promise<TaskRecord | undefined>;
  waitForTask(id: number, context?: Context): Promise<TaskRecord>;
  snapshot<T>(doc: DocToken<T>, key?: string): Promise<T | undefined>;
  snapshotAsOf<T>(doc: DocToken<T>, entryId: number, key?: string): Promise<T | undefined>;
  watchDoc<T>(doc: DocToken<T>, listener: (value: T | undefined) => void): Promise<() => void>;
  /** Calls another tool on behalf of this call. */
  executeTool(
    name: string,
    args: Record<string, unknown>,
    context: Context,
    options?: { key?: string; progress?: (chunk: string) => void },
  ): Promise<NestedResult>;
  retainedOutput(): string;
}

/** What a nested call gives its caller. */
export interface NestedResult {
  taskId: number;
  structuredOutput?: unknown;
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
  execute(
    args: Arguments<P>,
    api: ToolExecutionApi,
    context: Context,
  ): ToolResult<Details> | Promise<ToolResult<Details>>;
  /** Whether a call that a crash cut off may run again. Default: it may not. */
  replay?: "safe" | "unsafe";
  /** Default parallel. One sequential tool makes its whole round sequential. */
  executionMode?: "parallel" | "sequential";
  /** Repairs arguments before they are validated; a throw makes them invalid. */
  prepareArguments?(args: unknown): unknown;
  outputLimits?: OutputLimits;
  /** Seconds that a call may take; none by default. */
  timeout?: number;
  structuredOutput?: object;
  callers?: readonly string[];
  constrainedSampling?: unknown;
}

/** What a section can use to write its text. */
export interface SectionInput {
  conversationId: number;
  agent: Agent;
  tools: readonly string[];
}

export type SectionRender = (
  input: SectionInput,
  context: Context,
) => string | undefined | Promise<string | undefined>;

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

/** What hook handlers can use. A handler may run twice around a crash: memo is the guard. */
export interface HookApi {
  readonly taskId: number | undefined;
  /** Undefined for a call that no conversation makes. */
  readonly conversationId: number | undefined;
  readonly models: Models;
  memo<T>(name: string, candidate?: T): Promise<T>;
  snapshot<T>(doc: DocToken<T>, key?: string): Promise<T | undefined>;
  snapshotAsOf<T>(doc: DocToken<T>, entryId: number, key?: string): Promise<T | undefined>;
}

/** A call on its way through the hooks. */
export interface HookedCall extends Pick<ToolCall, "id" | "name" | "arguments"> {
  /** The call that made this one. */
  parent?: { taskId: number; callId: string };
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
export type ToolCallDecision =
  | { block: string }
  | { ask: string; arguments?: Record<string, unknown> }
  | { allow: true; arguments?: Record<string, unknown> }
  | { arguments: Record<string, unknown> };

type Hooked<T> = T | undefined | void | Promise<T | undefined | void>;

/** Handlers around the calls of tools. */
export interface ToolHandlers {
  /** A throw blocks the call. */
  beforeTool(call: HookedCall, api: HookApi, context: Context): Hooked<ToolCallDecision>;
  afterTool(call: HookedCall, result: HookedResult, api: HookApi, context: Context): Hooked<ToolResult>;
  onAbort(call: HookedCall, result: HookedResult, api: HookApi, context: Context): Hooked<ToolResult>;
}

/** Handlers around the requests to a model. */
export interface GenerationHandlers {
  beforeRequest(request: ModelRequest, api: HookApi, context: Context): Hooked<{ messages: Message[] }>;
  afterResponse(message: AssistantMessage, api: HookApi, context: Context): void | Promise<void>;
  onYield(answer: AssistantMessage, api: HookApi, context: Context): Hooked<{ continue: string }>;
  afterTools(assistantEntryId: number, resultEntryIds: number[], api: HookApi, context: Context): void | Promise<void>;
}

export interface ModelRequest {
  model: Model;
  messages: Message[];
  thinkingLevel: ThinkingLevel;
}

/** Handlers around the shortening of a conversation. */
export interface CompactionHandlers {
  beforeCompact(
    request: { reason: string; entries: EntryRecord[]; messages: Message[]; firstKept: number; instructions?: string },
    api: HookApi,
    context: Context,
  ): Hooked<{ decline: true } | { summary: string }>;
}

/** Handlers of a task, by the task's name. */
export interface TaskHook {
  task: string;
  handlers: Readonly<Record<string, (...args: any[]) => unknown>>;
}

/** Handlers by kind. tool_call is ToolTask's beforeTool, tool_result its afterTool. */
export interface KindHandlers {
  before_agent_start(api: HookApi, context: Context): Hooked<Message[]>;
  tool_call: ToolHandlers["beforeTool"];
  tool_result: ToolHandlers["afterTool"];
  agent_end(outcome: { reason: string }, api: HookApi, context: Context): void | Promise<void>;
  session_start(api: HookApi, context: Context): void | Promise<void>;
  session_shutdown(api: HookApi, context: Context): void | Promise<void>;
}

/** A handler of one kind. */
export interface KindHook<K extends keyof KindHandlers = keyof KindHandlers> {
  kind: K;
  handler: KindHandlers[K];
}

/** Which extensions, tools and model a conversation uses. */
export interface Agent {
  extensions?: readonly string[] | { add?: readonly string[]; remove?: readonly string[] };
  tools?: readonly string[] | { remove: readonly string[] };
  model?: { provider: string; id: string };
  thinkingLevel?: ThinkingLevel;
  instructions?: string;
}

/** A slash command. */
export interface Command {
  name: string;
  description?: string;
  /** argument is the text after the name; the result is shown to the person. */
  execute(argument: string, context: Context): string | void | Promise<string | void>;
}

/** Runs when a routine of this extension is due. */
export interface RoutineHandler {
  /** A crash may repeat a fire; fire.id is the same then. */
  execute(fire: { id: string; routine: string; payload: Json }, context: Context): void | Promise<void>;
}

/** What one scope of an extension contributes. */
export interface Instance {
  tools?: readonly ToolRegistration<any, any>[];
  sections?: readonly Section[];
  hooks?: readonly (TaskHook | KindHook)[];
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
  scopes?: readonly Scope[];
  instantiate?(at: { scope: Scope; agent?: string; conversationId?: number }): Instance | Promise<Instance>;
}

/** What is stored in a conversation. */
export interface EntryRecord<Data = unknown> {
  id: number;
  conversationId: number;
  kind: string;
  model?: Message[];
  data?: Data;
  head?: number;
  byTaskId?: number;
}

/** Names a kind of entry. */
export interface EntryToken<Data = unknown> {
  readonly kind: string;
  is(record: EntryRecord): record is EntryRecord<Data>;
}

export type DocScope = "session" | "conversation" | "task";

/** How a document of a kind starts, is versioned and is copied. */
export interface DocDefinition<T = any> {
  kind: string;
  version: number;
  scope: DocScope;
  initial(): T;
  history?: "latest" | "rewindable";
  fork?: "current" | "initial" | "asOf";
  migrate?(value: unknown, fromVersion: number): T;
  checkpointWhen?(value: T, ops: unknown[], state: { deltasSinceBase: number }): boolean;
}

export interface DocFamilyDefinition<T = any, Seed = any> extends Omit<DocDefinition<T>, "initial"> {
  initial(seed: Seed): T;
}

export interface DocToken<T = any> {
  readonly definition: DocDefinition<T>;
}

export interface DocFamilyToken<T = any, Seed = any> {
  readonly definition: DocFamilyDefinition<T, Seed> & { readonly family: true };
}

export type TaskOutcome<Result = unknown> =
  | { kind: "completed"; result: Result }
  | { kind: "failed"; error: { message: string; code?: string }; result?: Result }
  | { kind: "aborted"; reason?: string; result?: Result }
  | { kind: "orphaned"; reason: string }
  | { kind: "faulted"; error: { message: string } };

export interface TaskRecord {
  id: number;
  conversationId?: number;
  kind: string;
  state: { kind: "pending" | "running" | "waiting" | "completing" | "terminal"; outcome?: TaskOutcome };
}

/** A durable piece of work: a phase runs from a stored checkpoint to the next. */
export interface TaskDefinition<Input = any, Result = any> {
  name: string;
  version: number;
  initial(input: Input): { phase: string };
  phases: Readonly<Record<string, (runtime: any, checkpoint: any, context: Context) => unknown>>;
  abort(runtime: any, checkpoint: any, context: Context): unknown;
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

/** One atomic change of the session. It ends with the callback that got it. */
export interface Transaction {
  doc<T>(token: DocToken<T>): Promise<T>;
  doc<T, Seed>(token: DocFamilyToken<T, Seed>, key: string, seed: Seed): Promise<T>;
  appendEntry(conversationId: number, entry: { kind: string; model?: Message[]; data?: Json }): Promise<number>;
  createTask<Input>(task: TaskToken<Input, any>, input: Input, options: object): Promise<number>;
}
