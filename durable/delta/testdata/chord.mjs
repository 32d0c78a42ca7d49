// Runs chord, the library whose operations these are. With the argument "apply" it
// answers each line {from, to, ops} of its input by what chord makes of it. With the
// arguments "track", a seed and a count it writes so many lines {ops, value}: batches
// of changes to one value, and what that value is then.
import { createInterface } from "node:readline";
import { apply, applyImmutable, track } from "@earendil-works/chord/delta";

const [mode, seed, count] = process.argv.slice(2);
const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

if (mode === "apply") {
	for await (const line of createInterface({ input: process.stdin })) {
		const { from, to, ops } = JSON.parse(line);
		const immutable = JSON.stringify(applyImmutable(from, ops));
		const unchanged = JSON.stringify(from) === JSON.stringify(JSON.parse(line).from);
		write({ want: JSON.stringify(to), immutable, unchanged, mutable: JSON.stringify(apply(from, ops)) });
	}
} else {
	follow(random(Number(seed)), Number(count));
}

// random returns a source of whole numbers below a limit (the generator "mulberry32").
function random(state) {
	return (limit) => {
		state = (state + 0x6d2b79f5) | 0;
		let t = Math.imul(state ^ (state >>> 15), 1 | state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) % limit;
	};
}

function follow(below, rounds) {
	const tracker = track({ list: [], text: "", inner: {} });
	for (let round = 0; round < rounds; round++) {
		for (let changes = 1 + below(4); changes > 0; changes--) change(below, tracker.state, fresh);
		write({ ops: tracker.flush(), value: tracker.target });
	}
}

// fresh returns a new random value.
function fresh(below, depth) {
	const size = below(4);
	switch (below(depth > 0 ? 7 : 4)) {
		case 0:
			return below(2) === 0 ? null : true;
		case 1:
			return below(100) / 4;
		case 2:
		case 3:
			return words(below);
		case 4:
			return Array.from({ length: size }, () => fresh(below, depth - 1));
		default:
			return Object.fromEntries(Array.from({ length: size }, () => [name(below), fresh(below, depth - 1)]));
	}
}

function words(below) {
	const parts = ["x", "ä", "😀", "\ud83d", "\ude00", "some words ".repeat(5)];
	return Array.from({ length: below(5) }, () => parts[below(parts.length)]).join("");
}

function name(below) {
	return ["a", "b", "c", "id", "7", "ü \"", ""][below(7)];
}

// change changes something at or below a container once.
function change(below, at, make) {
	const keys = Object.keys(at);
	const key = keys[below(keys.length || 1)];
	const inner = key === undefined ? undefined : at[key];
	if (typeof inner === "object" && inner !== null && below(4) > 0) return change(below, inner, make);
	if (typeof inner === "string" && below(3) > 0) {
		at[key] = inner.slice(below(2) * below(inner.length + 1)) + words(below);
		return;
	}
	if (Array.isArray(at)) return rearrange(below, at, make);
	if (key !== undefined && below(3) === 0) delete at[key];
	else at[below(2) === 0 && key !== undefined ? key : name(below)] = make(below, 3);
}

function rearrange(below, at, make) {
	const index = below(at.length + 1);
	switch (below(9)) {
		case 0:
		case 1:
			at.push(make(below, 3), make(below, 1));
			break;
		case 2:
			at.unshift(make(below, 2));
			break;
		case 3:
			at.splice(index, below(3), make(below, 2));
			break;
		case 4:
			at.splice(index, 1);
			break;
		case 5:
			at.reverse();
			break;
		case 6:
			at.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
			break;
		case 7:
			at.length = index;
			break;
		default:
			if (index < at.length) at[index] = make(below, 2);
	}
}
