
"use strict";
// The Console Standard (console.spec.whatwg.org), with Node's texts.

const { inspect, format } = need("inspect");

const counts = new Map();
const timers = new Map();
let indent = "";

const print = (level, text) => {
  native.write(level, indent === "" ? text : indent + text.replace(/\n/g, `\n${indent}`));
};
const label = (name) => (name === undefined ? "default" : `${name}`);
const milliseconds = (n) => (n >= 1000 ? `${(n / 1000).toFixed(3)}s` : `${Number(n.toFixed(3))}ms`);

const width = (text) => [...text].length;
const table = (rows) => {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => width(row[column]))) + 2);
  const line = (left, middle, right) => left + widths.map((n) => "─".repeat(n)).join(middle) + right;
  const cells = (row) => `│${row.map((cell, i) => ` ${cell}${" ".repeat(widths[i] - width(cell) - 1)}`).join("│")}│`;
  return [line("┌", "┬", "┐"), cells(rows[0]), line("├", "┼", "┤"), ...rows.slice(1).map(cells), line("└", "┴", "┘")].join("\n");
};

const entriesOf = (data) => {
  if (data instanceof Map) return [...data].map(([key, value], i) => [`${i}`, { Key: key, Values: value }]);
  if (data instanceof Set) return [...data].map((value, i) => [`${i}`, value]);
  return Object.entries(data);
};

const timerText = (name, what) => {
  const started = timers.get(name);
  if (started === undefined) {
    print("warn", `console.${what}: there is no timer "${name}"`);
    return undefined;
  }
  return `${name}: ${milliseconds(performance.now() - started)}`;
};

const methods = {
  log(...args) {
    print("info", format(...args));
  },
  info(...args) {
    print("info", format(...args));
  },
  warn(...args) {
    print("warn", format(...args));
  },
  error(...args) {
    print("error", format(...args));
  },
  debug(...args) {
    print("debug", format(...args));
  },
  trace(...args) {
    const stack = new Error().stack.replace(/^.*?\n\tat [^\n]*/, "").replace(/\n\tat /g, "\n    at ");
    print("error", `Trace${args.length > 0 ? `: ${format(...args)}` : ""}${stack.trimEnd()}`);
  },
  dir(value, options) {
    print("info", inspect(value, options));
  },
  dirxml(...args) {
    print("info", format(...args));
  },
  assert(condition, ...args) {
    if (condition) return;
    if (typeof args[0] === "string") print("error", format(`Assertion failed: ${args[0]}`, ...args.slice(1)));
    else print("error", args.length > 0 ? format("Assertion failed", ...args) : "Assertion failed");
  },
  table(data, columns) {
    if (typeof data !== "object" || data === null) return methods.log(data);
    const rows = entriesOf(data);
    const isRow = (value) => typeof value === "object" && value !== null;
    const names = columns === undefined ? [...new Set(rows.flatMap(([, value]) => (isRow(value) ? Object.keys(value) : [])))] : [...columns];
    const plain = columns === undefined && rows.some(([, value]) => !isRow(value));
    const cell = (value) => inspect(value, { depth: 0 });
    const body = rows.map(([key, value]) => {
      const cells = names.map((name) => (isRow(value) && Object.hasOwn(value, name) ? cell(value[name]) : ""));
      return [key, ...cells, ...(plain ? [isRow(value) ? "" : cell(value)] : [])];
    });
    print("info", table([["(index)", ...names, ...(plain ? ["Values"] : [])], ...body]));
  },
  count(name) {
    const key = label(name);
    const n = (counts.get(key) ?? 0) + 1;
    counts.set(key, n);
    print("info", `${key}: ${n}`);
  },
  countReset(name) {
    if (!counts.delete(label(name))) print("warn", `console.countReset: there is no count "${label(name)}"`);
  },
  time(name) {
    const key = label(name);
    if (timers.has(key)) print("warn", `console.time: the timer "${key}" runs already`);
    else timers.set(key, performance.now());
  },
  timeLog(name, ...args) {
    const text = timerText(label(name), "timeLog");
    if (text !== undefined) print("info", args.length > 0 ? `${text} ${format(...args)}` : text);
  },
  timeEnd(name) {
    const text = timerText(label(name), "timeEnd");
    if (text !== undefined) print("info", text);
    timers.delete(label(name));
  },
  group(...args) {
    if (args.length > 0) methods.log(...args);
    indent += "  ";
  },
  groupCollapsed(...args) {
    methods.group(...args);
  },
  groupEnd() {
    indent = indent.slice(2);
  },
  clear() {},
};

exports.console = { ...methods };
Object.defineProperty(exports.console, Symbol.toStringTag, { value: "console", configurable: true });
