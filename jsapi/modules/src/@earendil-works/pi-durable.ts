/**
 * What an extension is made of: tools, prompt sections, hooks, wraps, tasks and
 * documents. The builders only describe; the host validates what they made.
 */

import type {
  AgentChange,
  AgentState,
  CompactionHandlers,
  Extension,
  GenerationHandlers,
  KindHandlers,
  KindHook,
  Section,
  SectionRender,
  SectionWrap,
  TaskHook,
  ToolHandlers,
  ToolRegistration,
  ToolWrap,
} from "harness:internal/declarations";
import type {
  ConversationId,
  DocDefinition,
  DocFamilyDefinition,
  DocFamilyToken,
  DocScope,
  DocToken,
  EntryRecord,
  EntryToken,
  TaskDefinition,
  TaskToken,
  Transaction,
} from "harness:internal/durable";
import type * as Sessions from "harness:internal/sessions";
import { agentNames } from "harness:internal/agent";
import { notAvailable } from "harness:internal/unavailable";

export type { Context, JsonObject, JsonValue } from "@earendil-works/chord";
export type { ExecutionEnv } from "@earendil-works/pi-durable/env";
export type * from "harness:internal/declarations";
export type * from "harness:internal/durable";
// The names that extensions of the public engine know these shapes by.
export type {
  CompactionHandlers as CompactionHooks,
  Diagnostic as ToolDiagnostic,
  GenerationHandlers as GenerationHooks,
  Section as PromptSection,
  SectionInput as PromptInput,
  TaskHook as HookRegistration,
  ToolHandlers as ToolHooks,
  ToolResult as ToolExecutionResult,
} from "harness:internal/declarations";
export type { AgentEvent, AgentEventStream } from "harness:internal/events";
export type * from "harness:internal/sessions";
export type { TaskToken as Task, Transaction as Tx } from "harness:internal/durable";
export type Wrap = ToolWrap | SectionWrap;

export { createRegistry } from "harness:internal/registry";

/** The conversation that every session has. */
export const ROOT_CONVERSATION_ID = 1;

/** When a conversation is shortened; amounts in tokens. */
export const DEFAULT_COMPACTION_POLICY: Readonly<{
  enabled: boolean;
  reserveTokens: number;
  keepRecentTokens: number;
  backgroundTokens: number;
}> = Object.freeze({ enabled: true, reserveTokens: 16384, keepRecentTokens: 20000, backgroundTokens: 32768 });

/** How failed requests are tried again: the delay doubles up to its limit. */
export const DEFAULT_RETRY_POLICY: Readonly<{
  enabled: boolean;
  maxRetries: number;
  baseDelayMs: number;
  maxAgentDelayMs: number;
}> = Object.freeze({ enabled: true, maxRetries: 3, baseDelayMs: 2000, maxAgentDelayMs: 60000 });

/** Gives an extension its type. */
export function defineExtension(extension: Extension): Extension {
  return extension;
}

/** Gives a tool its type: the arguments of execute follow from parameters. */
export function defineTool<P extends object, Details = unknown>(
  tool: ToolRegistration<P, Details>,
): ToolRegistration<P, Details> {
  return tool;
}

/** A part of the system prompt. render runs before each request; undefined leaves it out. */
export function section(key: string, render: SectionRender, options?: { tag?: boolean }): Section {
  return { key, render, ...(options?.tag !== undefined && { tag: options.tag }) };
}

/** Attaches one handler to a kind of hook, or handlers to a task. */
export function hook<K extends keyof KindHandlers>(kind: K, handler: KindHandlers[K]): KindHook<K>;
export function hook<H extends object>(task: TaskToken<any, any, H>, handlers: Partial<H>): TaskHook;
export function hook(target: TaskToken | keyof KindHandlers, handlers: object): TaskHook | KindHook {
  if (typeof target === "string") return { kind: target, handler: handlers as KindHandlers[typeof target] };
  return { task: target.definition.name, handlers: handlers as TaskHook["handlers"] };
}

/** Replaces a tool of any extension by what wrap makes of it. The name must stay. */
export function wrapTool(tool: string | { name: string }, wrap: ToolWrap["wrap"]): ToolWrap {
  return { tool: typeof tool === "string" ? tool : tool.name, wrap };
}

/** Replaces a section of any extension by what wrap makes of it. The key must stay. */
export function wrapSection(key: string | { key: string }, wrap: SectionWrap["wrap"]): SectionWrap {
  return { section: typeof key === "string" ? key : key.key, wrap };
}

/** Makes the token of a task. */
export function defineTask<Input, Result, Handlers extends object = object>(
  definition: TaskDefinition<Input, Result>,
): TaskToken<Input, Result, Handlers> {
  return { definition };
}

/** Makes the token of a document. */
export function defineDoc<T, S extends DocScope = DocScope>(definition: DocDefinition<T, S>): DocToken<T, S> {
  return { definition };
}

/** Makes the token of documents that are told apart by a key. */
export function defineDocFamily<T, Seed, S extends DocScope = DocScope>(
  definition: DocFamilyDefinition<T, Seed, S>,
): DocFamilyToken<T, Seed, S> {
  return { definition: { ...definition, family: true } };
}

/** Makes the token of a kind of entry. Kinds that start with `pi.` are the engine's own. */
export function defineEntry<Data = unknown>(kind: string): EntryToken<Data> {
  return {
    kind,
    is: (record: EntryRecord): record is EntryRecord<Data> => record.kind === kind,
  };
}

export const UserEntry: EntryToken = defineEntry("pi.user");
export const AssistantEntry: EntryToken = defineEntry("pi.assistant");
export const SystemEntry: EntryToken = defineEntry("pi.system");
export const ToolResultEntry: EntryToken = defineEntry("pi.tool-result");
export const ResetEntry: EntryToken = defineEntry("pi.reset");
export const CompactionEntry: EntryToken = defineEntry("pi.compaction");

/** The work of one run: requests to a model and rounds of tools. */
export const GenerationTask: TaskToken<any, any, GenerationHandlers> = builtinTask("pi.generation", 1);
/** One call of a tool. */
export const ToolTask: TaskToken<any, any, ToolHandlers> = builtinTask("pi.tool", 2);
/** The shortening of a conversation. */
export const CompactionTask: TaskToken<any, any, CompactionHandlers> = builtinTask("pi.compaction", 1);

export const AgentDoc: DocToken<AgentState, "conversation"> = builtinDoc("pi.agent", "conversation");
export const LiveDoc: DocToken<any, "conversation"> = builtinDoc("pi.live", "conversation");
export const InboxDoc: DocToken<any, "conversation"> = builtinDoc("pi.inbox", "conversation");
export const ProviderDoc: DocToken<any, "conversation"> = builtinDoc("pi.provider", "conversation");
export const UsageDoc: DocToken<any, "conversation"> = builtinDoc("pi.usage", "conversation");
export const NestedCallDoc: DocToken<any, "task"> = builtinDoc("pi.nested", "task");

// A built-in names what the engine runs; the engine has its own definition of it.
function builtinTask<H extends object>(name: string, version: number): TaskToken<any, any, H> {
  const initial = (): never => notAvailable(`starting ${name}`);
  const abort = (): never => notAvailable(`aborting ${name}`);
  return Object.freeze({ definition: Object.freeze({ name, version, initial, phases: Object.freeze({}), abort }) });
}

function builtinDoc<S extends DocScope>(kind: string, scope: S): DocToken<any, S> {
  const initial = (): never => notAvailable(`creating ${kind}`);
  return Object.freeze({ definition: Object.freeze({ kind, version: 1, scope, initial }) });
}

/**
 * An error that is known by its name. It may come from the host or another isolate, where
 * these classes are not the same ones.
 */
abstract class Named extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return Function.prototype[Symbol.hasInstance].call(this, value) || (value instanceof Error && value.name === this.name);
  }
}

/** A conversation that was to be idle is at work. */
export class ConversationBusy extends Named {
  override readonly name = "ConversationBusy";
}

/** A commit read a table after it had written one. */
export class ReadAfterWrite extends Named {
  override readonly name = "ReadAfterWrite";
}

/** A commit, or a wait for one, inside the callback of a commit: it could only wait for itself. */
export class CommitInsideCommit extends Named {
  override readonly name = "CommitInsideCommit";
}

/** The callback of a commit took too long, and the commit was rolled back. */
export class CommitTimeout extends Named {
  override readonly name = "CommitTimeout";
}

/** A transaction or a draft was used after its commit had ended. */
export class TransactionEnded extends Named {
  override readonly name = "TransactionEnded";
}

/** Storage refused a commit, and nothing of it was applied. */
export class StorageRejected extends Named {
  override readonly name = "StorageRejected";
}

/** The session ended because its storage failed; cause says how. */
export class SessionFailed extends Named {
  override readonly name = "SessionFailed";
}

/** The session has been closed. */
export class SessionClosed extends Named {
  override readonly name = "SessionClosed";
}

/** What belongs to a phase of a task or to a call was used after that had ended. */
export class InvocationEnded extends Named {
  override readonly name = "InvocationEnded";
}

/** A request to storage was wrong; the session goes on. */
export class StorageRequestError extends Named {
  override readonly name = "StorageRequestError";
}

/** The world's harness is what an extension works with: host.harness(). */
export type Harness = Sessions.Harness;
/** Opening another one is for programs in Go. */
export const Harness = Object.freeze({
  async open(): Promise<never> {
    return notAvailable("Harness.open");
  },
});

/** Storage that lives as long as its object. Not yet. */
export class MemoryStorage {
  constructor() {
    notAvailable("MemoryStorage");
  }
}

/** Not yet. */
export async function createSession(): Promise<never> {
  return notAvailable("createSession");
}

/** Changes the agent of a conversation inside a commit: null clears a choice, undefined keeps it. */
export async function configure(tx: Transaction, conversationId: ConversationId, change: AgentChange): Promise<void> {
  const agent = (await tx.doc(AgentDoc, conversationId)) as Record<string, unknown>;
  for (const [key, value] of Object.entries(agentNames(change))) {
    if (value === null) delete agent[key];
    else agent[key] = value;
  }
}

export { watchEvents } from "harness:internal/events";
