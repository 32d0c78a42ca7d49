/** Messages, models and tool schemas in the form that language models use. */

import { validatedArguments } from "harness:internal/validation";
import { Type, type SchemaOptions, type TEnum } from "typebox";

export { Type };
export type { Static, TArray, TObject, TOptional, TProperties, TSchema, TString, TUnion } from "typebox";

/** One of the given strings, in the form that every model provider accepts. */
export function StringEnum<const V extends string>(
  values: readonly V[],
  options?: SchemaOptions,
): TEnum<V> & { type: "string" } {
  return { type: "string", enum: [...values], ...options } as unknown as TEnum<V> & { type: "string" };
}

export interface TextContent {
  type: "text";
  text: string;
  textSignature?: string;
}

/** An image; data is base64. */
export interface ImageContent {
  type: "image";
  data: string;
  mimeType: string;
}

export interface ThinkingContent {
  type: "thinking";
  thinking: string;
  thinkingSignature?: string;
  redacted?: boolean;
}

/** A call that a model asks for. argumentsError is set when its JSON was broken. */
export interface ToolCall {
  type: "toolCall";
  id: string;
  name: string;
  arguments: Record<string, any>;
  thoughtSignature?: string;
  namespace?: string;
  argumentsError?: string;
}

/** How hard a model thinks before it answers. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** Tokens of a request and what they cost, in US dollars. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h?: number;
  /** Part of output. */
  reasoning?: number;
  totalTokens: number;
  cost: {
    input: number;
    output: number;
    cacheRead: number;
    cacheWrite: number;
    total: number;
    totalFromProvider?: number;
  };
}

export type StopReason = "pending" | "stop" | "length" | "toolUse" | "error" | "aborted" | "deferred";

export interface SystemMessage {
  role: "system";
  content: string | TextContent[];
  /** Section name to its text; null takes a section away. */
  sections?: Record<string, string | null>;
  toolsAdded?: ToolDeclaration[];
  toolsRemoved?: { name: string }[];
  timestamp: number;
}

export interface UserMessage {
  role: "user";
  content: string | (TextContent | ImageContent)[];
  timestamp: number;
}

export interface AssistantMessage {
  role: "assistant";
  content: (TextContent | ThinkingContent | ToolCall)[];
  api: string;
  provider: string;
  model: string;
  responseModel?: string;
  responseId?: string;
  thinkingLevel?: ThinkingLevel;
  providerThinkingLevel?: string;
  usage: Usage;
  stopReason: StopReason;
  errorMessage?: string;
  rawStopReason?: string;
  endTurn?: boolean;
  timestamp: number;
  durationMs?: number;
}

export interface ToolResultMessage<Details = unknown> {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: (TextContent | ImageContent)[];
  details?: Details;
  usage?: Usage;
  isError: boolean;
  timestamp: number;
  durationMs?: number;
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolResultMessage;

/** What a model is told of a tool; parameters is JSON Schema. */
export interface ToolDeclaration {
  name: string;
  description: string;
  parameters: object;
}

/** A model. Cost is in US dollars for a million tokens. */
export interface Model {
  id: string;
  name: string;
  api: string;
  provider: string;
  baseUrl: string;
  reasoning: boolean;
  input: ("text" | "image")[];
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number };
  contextWindow: number;
  maxTokens: number;
  headers?: Record<string, string>;
  thinkingLevelMap?: Partial<Record<ThinkingLevel, string | null>>;
}

/** What a model is asked: a transcript, and perhaps a prompt and tools in front of it. */
export interface ModelContext {
  systemPrompt?: string;
  messages: readonly Message[];
  tools?: readonly ToolDeclaration[];
}

export interface ModelOptions {
  signal?: AbortSignal;
  maxTokens?: number;
  temperature?: number;
  reasoning?: ThinkingLevel;
  /** Names the conversation towards the provider, which caches prompts by it. */
  sessionId?: string;
  timeoutMs?: number;
  maxRetries?: number;
  headers?: Record<string, string>;
  cacheRetention?: "none" | "short" | "long";
}

/** What happens while a response is written. partial is one object that grows. */
export type AssistantMessageEvent =
  | { type: "start"; partial: AssistantMessage }
  | { type: "text_start" | "thinking_start" | "toolcall_start"; contentIndex: number; partial: AssistantMessage }
  | { type: "text_delta" | "thinking_delta" | "toolcall_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
  | { type: "text_end" | "thinking_end"; contentIndex: number; content: string; partial: AssistantMessage }
  | { type: "toolcall_end"; contentIndex: number; toolCall: ToolCall; partial: AssistantMessage }
  | { type: "done"; reason: StopReason; message: AssistantMessage }
  | { type: "error"; reason: "error" | "aborted"; error: AssistantMessage };

/** A response: its events, for one loop, and the message that they end with. */
export interface ModelStream extends AsyncIterable<AssistantMessageEvent> {
  result(): Promise<AssistantMessage>;
}

/** The configured models. Reads are synchronous. */
export interface Models {
  getProviders(): { id: string }[];
  getProvider(id: string): { id: string } | undefined;
  getModels(provider?: string): Model[];
  getAllModels(): Model[];
  getModel(provider: string, id: string): Model | undefined;
  getAvailable(): Model[];
  checkAuth(provider: string): Promise<{ ok: true } | { ok: false; error: string }>;
  /** Throws for a model that is not there; all else that goes wrong is in the response. */
  stream(model: Model, context: ModelContext, options?: ModelOptions): ModelStream;
  complete(model: Model, context: ModelContext, options?: ModelOptions): Promise<AssistantMessage>;
  streamSimple(model: Model, context: ModelContext, options?: ModelOptions): ModelStream;
  completeSimple(model: Model, context: ModelContext, options?: ModelOptions): Promise<AssistantMessage>;
}

/** Arguments of a call as its tool would get them; throws what a model is told of those that are not valid. */
export function validateToolArguments(tool: Pick<ToolDeclaration, "name" | "parameters">, call: Pick<ToolCall, "arguments" | "argumentsError">): any {
  if (call.argumentsError !== undefined) throw new Error(`Validation failed for tool "${tool.name}":\n  - root: ${call.argumentsError}`);
  return validatedArguments(tool.name, tool.parameters, call.arguments);
}

/** validateToolArguments for the tool that the call names. */
export function validateToolCall(tools: readonly Pick<ToolDeclaration, "name" | "parameters">[], call: ToolCall): any {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) throw new Error(`Tool "${call.name}" not found`);
  return validateToolArguments(tool, call);
}

// What follows makes messages for tests.

export function fauxText(text: string): TextContent {
  return { type: "text", text };
}

export function fauxThinking(thinking: string): ThinkingContent {
  return { type: "thinking", thinking };
}

/** A call of a tool; without an id it gets a random one. */
export function fauxToolCall(name: string, args: Record<string, any>, options: { id?: string } = {}): ToolCall {
  return { type: "toolCall", id: options.id ?? `tool:${crypto.randomUUID()}`, name, arguments: args };
}

/** A response of a model that does not exist. */
export function fauxAssistantMessage(
  content: string | AssistantMessage["content"][number] | AssistantMessage["content"],
  options: { stopReason?: StopReason; errorMessage?: string; responseId?: string; timestamp?: number } = {},
): AssistantMessage {
  const blocks = typeof content === "string" ? [fauxText(content)] : Array.isArray(content) ? content : [content];
  const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const { timestamp = Date.now(), stopReason = "stop", ...rest } = options;
  return {
    role: "assistant",
    content: blocks,
    api: "faux",
    provider: "faux",
    model: "faux-1",
    usage: { ...nothing, totalTokens: 0, cost: { ...nothing, total: 0 } },
    stopReason,
    timestamp,
    ...rest,
  };
}
