// What is global, and what is not.
import { createHash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import * as fs from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import assert, { deepStrictEqual } from "node:assert";
import { setTimeout as wait } from "node:timers/promises";
import { BACKGROUND_CONTEXT, createContextKey, withCancel, withContextValue } from "@earendil-works/chord/context";
import words from "./words.txt" with { type: "text" };

const url: URL = new URL("a", import.meta.url);
const timer = setTimeout((n: number) => n, 10, 1);
clearTimeout(timer);
const text: string = new TextDecoder().decode(new TextEncoder().encode(url.href));
const signal: AbortSignal = AbortSignal.any([AbortSignal.timeout(1), new AbortController().signal]);
const groups = Object.groupBy([1, 2, 3], (n) => (n % 2 === 0 ? "even" : "odd"));
const { promise, resolve } = Promise.withResolvers<number>();
resolve(Iterator.from([1]).map((n) => n + 1).toArray().length);
const all: number[] = await Array.fromAsync((async function* () { yield 1; })());
const copy: { a: Date } = structuredClone({ a: new Date() });
const id: string = crypto.randomUUID();
const response: Response = await fetch(url, { signal });
for await (const chunk of response.body ?? []) console.log(chunk.length);
console.log(text, groups.even?.length, promise, all, copy, id, words.length, new Set([1]).union(new Set([2])));

const hex: string = createHash("sha256").update("x").digest("hex");
const read: string = await readFile("/a", "utf8");
const bytes: Uint8Array = fs.readFileSync("/a");
const [event]: any[] = await once(new EventEmitter(), "x");
await wait(10, undefined, { signal });
assert(path.join("a", "b") === hex + read);
deepStrictEqual(bytes, event);

const key = createContextKey<number>("n");
const value: number | undefined = withContextValue(key, 1, BACKGROUND_CONTEXT).value(key);
withCancel(BACKGROUND_CONTEXT).cancel(value);
// @ts-expect-error the key says the type
withContextValue(key, "x", BACKGROUND_CONTEXT);

// @ts-expect-error there is no process
process.exit();
// @ts-expect-error there is no DOM
document.title;
// @ts-expect-error there is no require
require("x");
