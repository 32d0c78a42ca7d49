import { type LineScan, LineScanner, rangeDecoder, startsWithBom, StreamDecoder } from "@earendil-works/pi-durable/env";
import assert from "node:assert";

// Line feeds, a byte order mark, characters of each length, and bytes that are none.
const pieces = [
  [0x0a], [0x0a], [0x61], [0x62, 0x63], [0xef, 0xbb, 0xbf], [0xc3, 0xa9], [0xe2, 0x82, 0xac], [0xf0, 0x9f, 0x98, 0x80],
  [0xe2, 0x82], [0xff], [0x80], [0xf0, 0x9f], [0x0d, 0x0a],
];

/** Numbers below a limit that only depend on the seed. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function randomFile(below: (limit: number) => number): Uint8Array {
  return Uint8Array.from(Array.from({ length: below(60) }, () => pieces[below(pieces.length)]!).flat());
}

function inPieces(bytes: Uint8Array, below: (limit: number) => number, take: (piece: Uint8Array) => void): void {
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + below(7);
    take(bytes.subarray(at, at + size));
    at += size;
  }
}

const size = (text: string) => new TextEncoder().encode(text).length;

function scan(file: Uint8Array, below: (limit: number) => number, startLine: number, endLine?: number): LineScan {
  const scanner = new LineScanner(startLine, endLine);
  inPieces(file, below, (piece) => scanner.push(piece));
  return scanner.finish();
}

export default {
  "a stream is decoded as if it came in one piece"() {
    for (let seed = 1; seed <= 500; seed++) {
      const below = numbers(seed);
      const file = randomFile(below);
      const decoder = new StreamDecoder();
      let text = "";
      inPieces(file, below, (piece) => (text += decoder.decode(piece)));
      assert.strictEqual(text + decoder.decode(), new TextDecoder().decode(file), `seed ${seed}`);
    }
  },
  "a byte order mark is one at the beginning only"() {
    const marked = Uint8Array.of(0xef, 0xbb, 0xbf, 0x61);
    assert.ok(startsWithBom(marked) && !startsWithBom(marked.subarray(1)) && !startsWithBom(marked.subarray(0, 2)));
    assert.strictEqual(rangeDecoder(0).decode(marked), "a");
    assert.strictEqual(rangeDecoder(7).decode(marked), "\ufeffa");
  },
  "lines are found as in the decoded text"() {
    for (let seed = 1; seed <= 1000; seed++) {
      const below = numbers(seed);
      const file = randomFile(below);
      const lines = new TextDecoder().decode(file).split("\n");
      const startLine = below(lines.length + 2);
      const endLine = below(3) === 0 ? undefined : startLine + 1 + below(lines.length + 1);
      const found = scan(file, below, startLine, endLine);
      const selected = lines.slice(startLine, endLine);
      const message = `seed ${seed}`;
      const text = (from: number, to: number) => new TextDecoder("utf-8", { ignoreBOM: from > 0 }).decode(file.subarray(from, to));
      assert.strictEqual(found.newlines, lines.length - 1, message);
      assert.strictEqual(text(found.start, found.end), selected.join("\n"), message);
      assert.strictEqual(found.selectedBytes, size(selected.join("\n")), message);
      if (startLine >= lines.length) {
        assert.deepStrictEqual([found.start, found.end], [file.length, file.length], message);
        continue;
      }
      assert.strictEqual(text(found.start, found.firstLineEnd), lines[startLine], message);
      assert.strictEqual(found.firstLineBytes, size(lines[startLine]!), message);
      assert.strictEqual(text(found.lastLineStart, found.end), selected.at(-1), message);
    }
  },
  "a range without lines is refused"() {
    for (const [from, to] of [[2, 2], [-1], [1.5], [0, 1.5], [NaN]] as [number, number?][]) {
      assert.throws(() => new LineScanner(from, to), RangeError);
    }
  },
};
