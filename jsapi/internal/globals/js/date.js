
"use strict";
// Date on a machine that is not in UTC: every method that speaks of local time
// speaks of UTC.

const Native = Date;
const { prototype } = Native;
const { construct } = Reflect;
const time = prototype.getTime;
const method = (object, name, value) => Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });

for (const field of ["Date", "Day", "FullYear", "Hours", "Milliseconds", "Minutes", "Month", "Seconds"]) {
  for (const verb of field === "Day" ? ["get"] : ["get", "set"]) {
    const utc = prototype[`${verb}UTC${field}`];
    const name = `${verb}${field}`;
    const all = {
      [name](...args) {
        return utc.apply(this, args);
      },
    };
    Object.defineProperty(all[name], "length", { value: utc.length });
    method(prototype, name, all[name]);
  }
}

const text = (date, form) => {
  const ms = time.call(date);
  return Number.isNaN(ms) ? "Invalid Date" : native.format(ms, form);
};
const replaced = {
  getTimezoneOffset() {
    return Number.isNaN(time.call(this)) ? NaN : 0;
  },
  toString() {
    return text(this, "");
  },
  toDateString() {
    return text(this, "date");
  },
  toTimeString() {
    return text(this, "time");
  },
  getYear() {
    return this.getUTCFullYear() - 1900;
  },
  setYear(year) {
    const n = Math.trunc(+year);
    return this.setUTCFullYear(n >= 0 && n <= 99 ? 1900 + n : n);
  },
};
for (const name of Object.keys(replaced)) method(prototype, name, replaced[name]);

// parse reads a text that names no zone as UTC: one to which a zone can still
// be added has none.
const nativeParse = Native.parse;
const parse = (value) => {
  const string = `${value}`;
  for (const zone of ["Z", " GMT"]) {
    const ms = nativeParse(string + zone);
    if (!Number.isNaN(ms)) return ms;
  }
  return nativeParse(string);
};

function UTCDate(...args) {
  if (new.target === undefined) return text(new Native(), "");
  if (args.length === 1) {
    const [value] = args;
    const primitive = typeof value === "object" && value !== null && !(value instanceof Native) ? value[Symbol.toPrimitive]?.("default") ?? value.valueOf() : value;
    args[0] = typeof primitive === "string" ? parse(primitive) : typeof primitive === "object" && primitive !== null && !(primitive instanceof Native) ? parse(primitive) : primitive;
  } else if (args.length > 1) {
    args = [Native.UTC(...args)];
  }
  return construct(Native, args, new.target === UTCDate ? Native : new.target);
}
Object.defineProperties(UTCDate, {
  name: { value: "Date", configurable: true },
  length: { value: 7, configurable: true },
  prototype: { value: prototype, writable: false, enumerable: false, configurable: false },
});
method(UTCDate, "now", Native.now);
method(UTCDate, "UTC", Native.UTC);
method(UTCDate, "parse", { parse: (value) => parse(value) }.parse);
method(prototype, "constructor", UTCDate);

exports.Date = UTCDate;
