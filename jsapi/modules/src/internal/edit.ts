/** The tool that replaces texts in files. */

import type { ToolRegistration } from "@earendil-works/pi-durable";
import { alone, counted, envOf, orRefuse, refusal } from "harness:internal/worktools";

interface Replacement {
  oldText: string;
  newText: string;
}

export function createEditTool(_options?: object): ToolRegistration<object, { path: string; lines: number[] }> {
  return {
    name: "edit",
    description:
      "Change a text file by replacing texts in it. Each oldText is looked for in the file as it was before the call and must occur there exactly once, " +
      "with the same spaces and line breaks. Make several changes of one file in one call; they must not overlap.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, description: "Where the file is, absolute or from the working folder on." },
        edits: {
          type: "array",
          minItems: 1,
          items: {
            type: "object",
            properties: {
              oldText: { type: "string", description: "The text to replace, with as much around it as makes it the only one." },
              newText: { type: "string", description: "The text to put in its place." },
            },
            required: ["oldText", "newText"],
            additionalProperties: false,
          },
        },
      },
      required: ["path", "edits"],
      additionalProperties: false,
    },
    prepareArguments: repairedEdits,
    async execute(args: { path: string; edits: Replacement[] }, api, context) {
      const env = envOf(api);
      const at = orRefuse("edit", args.path, await env.absolutePath(args.path, context));
      return alone(env, at, context, async () => {
        const before = orRefuse("edit", args.path, await env.readBinaryFile(at, context));
        const { text, lines } = edited(args.path, before, args.edits);
        orRefuse("edit", args.path, await env.writeFile(at, text, context));
        return {
          content: [{ type: "text", text: `Made ${counted(lines.length, "change")} in ${args.path}.` }],
          details: { path: at, lines },
        };
      });
    },
  };
}

// Models give edits as the text of their JSON, one without a list around it, or beside
// the path. What cannot be repaired stays, for validation to refuse.
function repairedEdits(args: unknown): unknown {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return args;
  const { oldText, newText, ...rest } = args as Record<string, unknown>;
  if (!("edits" in rest)) {
    return oldText === undefined || newText === undefined ? args : { ...rest, edits: [{ oldText, newText }] };
  }
  let edits = rest["edits"];
  if (typeof edits === "string") {
    try {
      edits = JSON.parse(edits);
    } catch {
      return args;
    }
  }
  if (typeof edits === "object" && edits !== null && !Array.isArray(edits)) edits = [edits];
  return { ...args, edits };
}

function edited(path: string, content: Uint8Array, edits: readonly Replacement[]): { text: string; lines: number[] } {
  const before = strictText(path, content);
  let text = "";
  let from = 0;
  const lines: number[] = [];
  for (const change of placed(path, before, edits)) {
    text += before.slice(from, change.start);
    lines.push(1 + count(text, "\n"));
    text += change.text;
    from = change.end;
  }
  text += before.slice(from);
  if (text === before) throw refusal("edit", path, "the edits leave it as it is");
  return { text, lines };
}

function strictText(path: string, content: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
    if (!text.includes("\0")) return text;
  } catch {
    // told below
  }
  throw refusal("edit", path, "it is not a text in UTF-8");
}

interface Change {
  start: number;
  end: number;
  text: string;
  /** Its number, from 1. */
  edit: number;
}

const mark = "\uFEFF";

function placed(path: string, text: string, edits: readonly Replacement[]): Change[] {
  const begin = text.startsWith(mark) ? mark.length : 0;
  const changes = edits.map((edit, i): Change => {
    const refuse = (why: string) => refusal("edit", path, (edits.length > 1 ? `edit ${i + 1} of ${edits.length}: ` : "") + why);
    const old = edit.oldText.startsWith(mark) ? edit.oldText.slice(mark.length) : edit.oldText;
    if (old === "") throw refuse("oldText is empty");
    let [find, put] = withBreaks(text, old, edit.newText);
    if (begin > 0 && put.startsWith(mark)) put = put.slice(mark.length);
    const at = occurrences(text.slice(begin), find);
    if (at.length === 0) {
      throw refuse("oldText does not occur in it; it must be the same to the last space and line break, so read the file again");
    }
    if (at.length > 1) {
      throw refuse(`oldText occurs ${at.length} times in it, in the lines ${linesOf(text.slice(begin), at)}; take in more of what is around the right one`);
    }
    const start = begin + at[0]!;
    return { start, end: start + find.length, text: put, edit: i + 1 };
  });
  changes.sort((a, b) => a.start - b.start);
  changes.forEach((change, i) => {
    const before = changes[i - 1];
    if (before === undefined || change.start >= before.end) return;
    const [first, second] = [before.edit, change.edit].sort((a, b) => a - b);
    throw refusal("edit", path, `edits ${first} and ${second} overlap; make them one`);
  });
  return changes;
}

// Line breaks of an edit stand for those of the text: those of its only kind, or in a
// text of both kinds those with which the old text occurs.
function withBreaks(text: string, old: string, put: string): [string, string] {
  const returns = count(text, "\r\n");
  const all = count(text, "\n");
  if (returns === 0) {
    if (all === 0 || text.includes(old) || !old.includes("\r\n")) return [old, put];
    return [old.replaceAll("\r\n", "\n"), put.replaceAll("\r\n", "\n")];
  }
  if (returns < all && (text.includes(old) || !text.includes(returning(old)))) return [old, put];
  return [returning(old), returning(put)];
}

function returning(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n");
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

// Also those that overlap each other.
function occurrences(text: string, part: string): number[] {
  const at: number[] = [];
  for (let next = text.indexOf(part); next >= 0; next = text.indexOf(part, next + 1)) at.push(next);
  return at;
}

const mostLines = 10;

function linesOf(text: string, places: readonly number[]): string {
  const lines = places.slice(0, mostLines).map((at) => 1 + count(text.slice(0, at), "\n"));
  return lines.join(", ") + (places.length > mostLines ? ", ..." : "");
}
