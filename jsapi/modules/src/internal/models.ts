/** The models of the harness, in the form of pi-ai. */

import type {
  AssistantMessage,
  AssistantMessageEvent,
  Message,
  Model,
  Models,
  ModelContext,
  ModelOptions,
  ModelStream,
} from "@earendil-works/pi-ai";
import { native, type NativeModelStream } from "harness:native";

/** The configured models. Reads are synchronous; what is wrong with a request is in its response. */
export const models: Models = Object.freeze({
  getProviders: () => native.models.providers().map((id) => ({ id })),
  getProvider: (id: string) => (native.models.providers().includes(id) ? { id } : undefined),
  getModels: (provider?: string) => native.models.list().filter((model) => provider === undefined || model.provider === provider),
  getAllModels: () => native.models.list(),
  getModel: (provider: string, id: string) => native.models.list().find((model) => model.provider === provider && model.id === id),
  getAvailable: () => native.models.list(),
  checkAuth: async (provider: string) => {
    const error = await native.models.checkAuth(provider);
    return error === undefined ? { ok: true as const } : { ok: false as const, error };
  },
  stream,
  streamSimple: stream,
  complete: (model: Model, context: ModelContext, options?: ModelOptions) => stream(model, context, options).result(),
  completeSimple: (model: Model, context: ModelContext, options?: ModelOptions) => stream(model, context, options).result(),
});

function stream(model: Pick<Model, "provider" | "id">, context: ModelContext, options: ModelOptions = {}): ModelStream {
  const { signal, maxTokens, temperature, reasoning, sessionId, ...rest } = options;
  const request = { provider: model.provider, modelId: model.id, messages: transcript(context), maxTokens, temperature, reasoning, sessionId, options: rest };
  return new Response(native.models.stream(JSON.stringify(request), signal));
}

// The prompt and the tools are a system message in front.
function transcript(context: ModelContext): Message[] {
  const { systemPrompt, messages, tools } = context;
  if (systemPrompt === undefined && tools === undefined) return [...messages];
  const toolsAdded = (tools ?? []).map(({ name, description, parameters }) => ({ name, description, parameters }));
  return [{ role: "system", content: systemPrompt ?? "", toolsAdded, timestamp: Date.now() }, ...messages];
}

class Response implements ModelStream {
  readonly #native: NativeModelStream;
  readonly #waiting: ((event: AssistantMessageEvent | undefined) => void)[] = [];
  readonly #arrived: AssistantMessageEvent[] = [];
  readonly #result = Promise.withResolvers<AssistantMessage>();
  #partial: AssistantMessage | undefined;
  #begun = false;
  #ended = false;

  constructor(stream: NativeModelStream) {
    this.#native = stream;
  }

  result(): Promise<AssistantMessage> {
    this.#begin();
    return this.#result.promise;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AssistantMessageEvent> {
    this.#begin();
    try {
      for (;;) {
        const event = this.#arrived.shift() ?? (this.#ended ? undefined : await new Promise<AssistantMessageEvent | undefined>((resume) => this.#waiting.push(resume)));
        if (event === undefined) return;
        yield event;
      }
    } finally {
      if (!this.#ended) this.#native.stop();
    }
  }

  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#pump().catch((error: unknown) => {
      this.#result.reject(error);
      this.#end();
    });
    this.#result.promise.catch(() => {});
  }

  async #pump(): Promise<void> {
    for (;;) {
      const event = await this.#native.next();
      if (event === undefined) return this.#end();
      this.#follow(event);
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#arrived.push(event);
      else waiting(event);
      if (event.type === "done") this.#result.resolve(event.message);
      if (event.type === "error") this.#result.resolve(event.error);
    }
  }

  // Deltas are added to the message that the events before them have shown.
  #follow(event: any): void {
    if (event.partial !== undefined) this.#partial = event.partial;
    else if (event.delta !== undefined && this.#partial !== undefined) {
      const block: any = this.#partial.content[event.contentIndex];
      if (block?.type === "text") block.text += event.delta;
      if (block?.type === "thinking") block.thinking += event.delta;
      event.partial = this.#partial;
    }
  }

  #end(): void {
    this.#ended = true;
    for (const waiting of this.#waiting.splice(0)) waiting(undefined);
  }
}
