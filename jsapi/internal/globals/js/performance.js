
"use strict";
// High Resolution Time and User Timing (w3.org/TR/hr-time-3, user-timing-3).

class PerformanceEntry {
  constructor(name, entryType, startTime, duration, detail) {
    Object.assign(this, { name, entryType, startTime, duration, detail });
  }
  toJSON() {
    return { ...this };
  }
}

const entries = [];
const longestTimeline = 10000;
const keep = (entry) => {
  // A program that marks for ever must not fill the memory.
  if (entries.length >= longestTimeline) entries.shift();
  entries.push(entry);
  return entry;
};

const timeOf = (mark) => {
  if (typeof mark === "number") return mark;
  const found = entries.findLast((entry) => entry.entryType === "mark" && entry.name === `${mark}`);
  if (found === undefined) throw new (need("domexception").DOMException)(`performance.measure: there is no mark "${mark}"`, "SyntaxError");
  return found.startTime;
};

const inOrder = (list) => [...list].sort((a, b) => a.startTime - b.startTime);
const clear = (type, name) => {
  for (let i = entries.length - 1; i >= 0; i--) {
    if (entries[i].entryType === type && (name === undefined || entries[i].name === `${name}`)) entries.splice(i, 1);
  }
};

class Performance {
  get timeOrigin() {
    return native.timeOrigin;
  }
  now() {
    return native.now();
  }
  mark(name, options) {
    return keep(new PerformanceEntry(`${name}`, "mark", options?.startTime ?? native.now(), 0, options?.detail ?? null));
  }
  measure(name, start, end) {
    const options = typeof start === "object" && start !== null ? start : { start, end };
    const last = options.end !== undefined ? timeOf(options.end) : options.duration !== undefined && options.start !== undefined ? timeOf(options.start) + options.duration : native.now();
    const first = options.start !== undefined ? timeOf(options.start) : options.duration !== undefined ? last - options.duration : 0;
    return keep(new PerformanceEntry(`${name}`, "measure", first, last - first, options.detail ?? null));
  }
  clearMarks(name) {
    clear("mark", name);
  }
  clearMeasures(name) {
    clear("measure", name);
  }
  getEntries() {
    return inOrder(entries);
  }
  getEntriesByName(name, type) {
    return inOrder(entries.filter((entry) => entry.name === `${name}` && (type === undefined || entry.entryType === type)));
  }
  getEntriesByType(type) {
    return inOrder(entries.filter((entry) => entry.entryType === type));
  }
  toJSON() {
    return { timeOrigin: this.timeOrigin };
  }
}
Object.defineProperty(Performance.prototype, Symbol.toStringTag, { value: "Performance", configurable: true });

exports.performance = new Performance();
