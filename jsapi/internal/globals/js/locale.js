
"use strict";
// Which locale an Intl constructor works in: en-US, or a named error.

const failed = (message, code) => {
  const error = new RangeError(message);
  error.code = code;
  return error;
};

const structure = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/;
const supports = (tag) => /^en(-US)?(-u(-.*)?)?$/i.test(tag);

const list = (locales) => {
  if (locales === undefined) return [];
  const tags = typeof locales === "string" ? [locales] : Array.from(locales, (tag) => `${tag}`);
  for (const tag of tags) {
    if (!structure.test(tag)) throw failed(`Intl: ${JSON.stringify(tag)} is no locale`, "ERR_LOCALE_INVALID");
  }
  return tags;
};

// resolve throws for a list in which nothing is English of the United States:
// text in the wrong language would be a silent error.
const resolve = (locales) => {
  const tags = list(locales);
  if (tags.length > 0 && !tags.some(supports)) {
    throw failed(`Intl: the locale ${tags.map((tag) => JSON.stringify(tag)).join(", ")} is not supported; only en-US is`, "ERR_LOCALE_NOT_SUPPORTED");
  }
  return tags.find(supports)?.replace(/-u.*$/i, "").replace(/^en/i, "en").replace(/us$/i, "US") ?? "en-US";
};

const supportedLocalesOf = {
  supportedLocalesOf(locales) {
    return list(locales).filter(supports);
  },
}.supportedLocalesOf;

const oneOf = (value, allowed, name, fallback) => {
  if (value === undefined) return fallback;
  const text = `${value}`;
  if (!allowed.includes(text)) throw new RangeError(`Intl: ${name} must be one of ${allowed.join(", ")}, got ${text}`);
  return text;
};

const inRange = (value, low, high, name, fallback) => {
  if (value === undefined) return fallback;
  const n = Math.floor(Number(value));
  if (!(n >= low && n <= high)) throw new RangeError(`Intl: ${name} must be between ${low} and ${high}, got ${String(value)}`);
  return n;
};

// service finishes an Intl class: its tag, and supportedLocalesOf.
const service = (type, name) => {
  Object.defineProperty(type, "supportedLocalesOf", { value: supportedLocalesOf, writable: true, configurable: true });
  Object.defineProperty(type.prototype, Symbol.toStringTag, { value: `Intl.${name}`, configurable: true });
  return type;
};

Object.assign(exports, { failed, list, supports, resolve, oneOf, inRange, service });
