// What the types of tools, schemas and hooks let through, and what they refuse.
import { StringEnum } from "@earendil-works/pi-ai";
import { arr, int, lit, nullable, obj, opt, str, union } from "@earendil-works/pi-schema";
import { defineExtension, defineTool, hook, section, ToolTask, wrapTool } from "@earendil-works/pi-durable";
import { hookKinds, type ToolResult } from "harness";
import { type Static, Type } from "typebox";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectType<T extends true>(): T | undefined {
  return undefined;
}

const Person = Type.Object({
  name: Type.String({ minLength: 1 }),
  age: Type.Optional(Type.Integer()),
  tags: Type.Array(Type.String()),
  role: Type.Union([Type.Literal("admin"), Type.Literal("guest")]),
  level: Type.Enum(["low", "high"]),
  pair: Type.Tuple([Type.String(), Type.Number()]),
  scores: Type.Record(Type.String(), Type.Number()),
  nothing: Type.Null(),
  any: Type.Unknown(),
  mixed: Type.Union([Type.String(), Type.Null()]),
});
expectType<
  Equal<
    Static<typeof Person>,
    {
      name: string;
      tags: string[];
      role: "admin" | "guest";
      level: "low" | "high";
      pair: [string, number];
      scores: Record<string, number>;
      nothing: null;
      any: unknown;
      mixed: string | null;
      age?: number;
    }
  >
>();
expectType<Equal<Static<ReturnType<typeof Type.Partial<{ a: ReturnType<typeof Type.String> }>>>, { a?: string }>>();
const Picked = Type.Pick(Person, ["name", "age"]);
expectType<Equal<Static<typeof Picked>, { name: string; age?: number }>>();
const Both = Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Number() })]);
expectType<Equal<Static<typeof Both>["b"], number>>();
const Colour = StringEnum(["red", "blue"]);
expectType<Equal<Static<typeof Colour>, "red" | "blue">>();

// @ts-expect-error a property is a schema, not its type's name
Type.Object({ name: "string" });
// @ts-expect-error only keys that there are
Type.Pick(Person, ["nam"]);

const tool = defineTool({
  name: "hello",
  description: "Says hello.",
  parameters: Type.Object({ name: Type.String(), times: Type.Optional(Type.Integer()) }),
  async execute(args, api, context): Promise<ToolResult> {
    expectType<Equal<typeof args, { name: string; times?: number }>>();
    // @ts-expect-error not a parameter
    args.nam;
    // @ts-expect-error may be left out
    args.times.toFixed();
    api.output(args.name);
    context.abortSignal?.throwIfAborted();
    return { content: [{ type: "text", text: args.name }] };
  },
});

// Schemas that no builder made are accepted, and say nothing of the arguments.
const plain = defineTool({
  name: "plain",
  description: "Takes what its schema says.",
  parameters: { type: "object", properties: { n: { type: "number" } } },
  execute(args) {
    return { content: String(args.n), isError: false };
  },
});

defineTool({
  name: "bad",
  description: "Returns what is no result.",
  parameters: Type.Object({}),
  // @ts-expect-error a result is an object
  execute: () => "text",
});
defineTool({
  name: "bad",
  description: "Returns content of an unknown kind.",
  parameters: Type.Object({}),
  // @ts-expect-error content is text or an image
  execute: () => ({ content: [{ type: "sound", text: "" }] }),
});
// @ts-expect-error a tool has a description
defineTool({ name: "bad", parameters: Type.Object({}), execute: () => ({}) });

defineExtension({
  name: "all",
  tools: [tool, plain],
  sections: [section("facts", () => "text"), section("bare", async () => undefined, { tag: false })],
  wraps: [wrapTool(tool, (inner) => ({ ...inner, description: "wrapped" })), wrapTool("other", (inner) => inner)],
  hooks: [
    hook(ToolTask, { beforeTool: (call) => (call.name === "x" ? { block: "no" } : undefined) }),
    hook("tool_result", (_call, result) => ({ ...result, isError: true })),
    hook(hookKinds.toolCall, () => ({ ask: "really?" })),
  ],
});
// @ts-expect-error misspelt
defineExtension({ name: "bad", tool: [tool] });
// @ts-expect-error a gate blocks with a reason
hook(ToolTask, { beforeTool: () => ({ block: true }) });
// @ts-expect-error no such hook
hook("tool_cal", () => undefined);

defineTool({
  name: "schema",
  description: "Has parameters of the short builders.",
  parameters: obj({ name: str(), tags: opt(arr(str())), kind: union([lit("a"), lit(1)]), size: nullable(int()) }),
  execute(args) {
    expectType<Equal<typeof args, { name: string; kind: "a" | 1; size: number | null; tags?: string[] }>>();
    return {};
  },
});
// @ts-expect-error a property is a schema
obj({ name: "string" });
