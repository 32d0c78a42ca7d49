/** The tool that shows texts and images. */

import type { Context } from "@earendil-works/chord";
import type { Diagnostic, ToolRegistration, ToolResult } from "@earendil-works/pi-durable";
import { type BinaryReader, StreamDecoder } from "@earendil-works/pi-durable/env";
import { DEFAULT_IMAGE_LIMITS, imageKind, type ImageLimits, imageSize } from "harness:internal/image";
import { counted, envOf, grouped, orRefuse, refusal } from "harness:internal/worktools";
import { Buffer } from "node:buffer";

export interface ReadToolOptions {
  images?: Partial<ImageLimits>;
}

interface Reading {
  path: string;
  offset?: number;
  limit?: number;
}

export function createReadTool(options: ReadToolOptions = {}): ToolRegistration<object, unknown> {
  const limits = { ...DEFAULT_IMAGE_LIMITS, ...options.images };
  return {
    name: "read",
    description:
      "Read a file: a text in UTF-8, or an image in PNG, JPEG, GIF or WebP. Of a long text the beginning is shown, " +
      "with a remark about where to go on; offset and limit choose lines.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, description: "Where the file is, absolute or from the working folder on." },
        offset: { type: "integer", minimum: 1, description: "The first line to show, from 1." },
        limit: { type: "integer", minimum: 1, description: "How many lines to show." },
      },
      required: ["path"],
      additionalProperties: false,
    },
    replay: "safe",
    async execute(args: Reading, api, context) {
      const file = orRefuse("read", args.path, await envOf(api).openBinaryReader(args.path, context));
      try {
        return await new Shown(args, file, limits, context).result();
      } finally {
        await file.close(context);
      }
    },
  };
}

/** How much of a file tells what it is. */
const headBytes = 8 << 10;
/** What is shown at most, in whole lines. */
const shownBytes = 50 << 10;
const shownLines = 2000;
/** What the text of shownBytes has at most in the file: carriage returns and a mark are not shown. */
const readBytes = shownBytes + shownLines + 16;

class Shown {
  constructor(
    private readonly args: Reading,
    private readonly file: BinaryReader,
    private readonly limits: ImageLimits,
    private readonly context: Context,
  ) {}

  async result(): Promise<ToolResult> {
    const head = await this.read(0, headBytes);
    const kind = imageKind(head);
    if (kind !== undefined) return this.image(kind, head);
    if (head.includes(0)) throw this.refusal("it is not a text: it has NUL bytes; look at it with commands");
    return this.text();
  }

  private refusal(why: string): Error {
    return refusal("read", this.args.path, why);
  }

  private async read(offset: number, length: number): Promise<Uint8Array> {
    return orRefuse("read", this.args.path, await this.file.read(offset, length, this.context));
  }

  private async size(): Promise<number> {
    return orRefuse("read", this.args.path, await this.file.info(this.context)).size;
  }

  private async image(kind: string, head: Uint8Array): Promise<ToolResult> {
    const { path } = this.args;
    const { maxBytes, maxWidth, maxHeight } = this.limits;
    const pixels = imageSize(kind, head);
    if (pixels === undefined) throw this.refusal(`it begins like an image of type ${kind}, but its header is not one`);
    const { width, height } = pixels;
    if (width > maxWidth || height > maxHeight) {
      throw this.refusal(`the image has ${width} x ${height} pixels, and models take at most ${maxWidth} x ${maxHeight}; make it smaller with commands`);
    }
    const size = await this.size();
    if (size > maxBytes) {
      throw this.refusal(`the image has ${counted(size, "byte")}, and models take at most ${grouped(maxBytes)}; make it smaller with commands`);
    }
    const data = await this.read(0, size);
    return {
      content: [
        { type: "text", text: `${path} is an image: ${kind}, ${width} x ${height} pixels, ${counted(data.length, "byte")}.` },
        { type: "image", data: Buffer.from(data).toString("base64"), mimeType: kind },
      ],
      details: { mimeType: kind, width, height, bytes: data.length },
    };
  }

  private async text(): Promise<ToolResult> {
    const first = this.args.offset ?? 1;
    const asked = Math.min(this.args.limit ?? shownLines, shownLines);
    const scanned = await this.file.scanLines({ startLine: first - 1, endLine: first - 1 + asked }, this.context);
    const scan = orRefuse("read", this.args.path, scanned);
    const lines = scan.newlines + (await this.lastLine());
    if (first > Math.max(lines, 1)) throw this.refusal(`it has ${counted(lines, "line")}, so none from line ${first} on`);
    const length = Math.min(scan.end + 1 - scan.start, readBytes); // with the line feed at the end
    const decoder = new StreamDecoder(scan.start > 0);
    const text = decoder.decode(await this.read(scan.start, length)) + decoder.decode();
    const shown = excerpt(text, Math.min(asked, lines - first + 1));
    return {
      content: shown.text === "" ? [] : [{ type: "text", text: shown.text }],
      diagnostics: this.remarks(first, lines, shown),
      details: { offset: first, lines: shown.lines, totalLines: lines },
    };
  }

  // 1 for a line at the end of the file that is not terminated.
  private async lastLine(): Promise<0 | 1> {
    const size = await this.size();
    if (size === 0) return 0;
    const [last] = await this.read(size - 1, 1);
    if (size === 3 && last === 0xbf) return (await this.read(0, 1))[0] === 0xef ? 0 : 1; // a byte order mark and nothing else
    return last === 0x0a ? 0 : 1;
  }

  private remarks(first: number, lines: number, shown: Excerpt): Diagnostic[] {
    const last = first + shown.lines - 1;
    if (lines === 0) return [{ severity: "info", code: "empty", message: "the file is empty" }];
    if (shown.cut) {
      const next = last < lines ? `; the next line has offset ${last + 1}` : "";
      const message = `line ${last} of ${grouped(lines)} is too long: only its first ${grouped(shown.bytes)} bytes are shown${next}`;
      return [{ severity: "warn", code: "truncated", message }];
    }
    if (last >= lines) return [];
    const range = `lines ${first} to ${last} of ${grouped(lines)} are shown`;
    if (this.args.limit !== undefined && shown.lines === this.args.limit) {
      return [{ severity: "info", code: "more", message: `${range}; go on with offset ${last + 1}` }];
    }
    return [{ severity: "warn", code: "truncated", message: `${range}, which is as much as fits; go on with offset ${last + 1}` }];
  }
}

interface Excerpt {
  text: string;
  lines: number;
  bytes: number;
  /** The only line is shown in part. */
  cut: boolean;
}

const encoder = new TextEncoder();

// The first lines of a text that fit; of a first one that is too long its beginning.
function excerpt(text: string, wanted: number): Excerpt {
  const shown: Excerpt = { text: "", lines: 0, bytes: 0, cut: false };
  for (let at = 0; at < text.length && shown.lines < wanted; ) {
    const found = text.indexOf("\n", at);
    const feed = found < 0 ? "" : "\n";
    let line = found < 0 ? text.slice(at) : text.slice(at, found);
    if (feed !== "" && line.endsWith("\r")) line = line.slice(0, -1);
    const bytes = encoder.encode(line);
    const room = shownBytes - shown.bytes;
    if (bytes.length + feed.length > room) {
      if (shown.lines > 0) break;
      const end = boundary(bytes, room);
      return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, end)), lines: 1, bytes: end, cut: end < bytes.length };
    }
    shown.text += line + feed;
    shown.bytes += bytes.length + feed.length;
    shown.lines++;
    at = found < 0 ? text.length : found + 1;
  }
  return shown;
}

// The last place at or before at that is between two characters.
function boundary(bytes: Uint8Array, at: number): number {
  let end = Math.min(at, bytes.length);
  while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--;
  return end;
}
