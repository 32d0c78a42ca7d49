
"use strict";
// Intl for en-US (ECMA-402): DateTimeFormat, NumberFormat, Collator,
// PluralRules, RelativeTimeFormat and ListFormat. Segmenter, DisplayNames,
// DurationFormat and Locale are absent. The toLocale… methods are built on it.

const { list, resolve, oneOf, service } = need("locale");

class Collator {
  #locale;
  #options;
  #compare;

  constructor(locales = undefined, options = {}) {
    this.#locale = resolve(locales);
    const extension = `${Array.isArray(locales) ? locales[0] : locales ?? ""}`;
    this.#options = {
      usage: oneOf(options?.usage, ["sort", "search"], "usage", "sort"),
      sensitivity: oneOf(options?.sensitivity, ["base", "accent", "case", "variant"], "sensitivity", "variant"),
      ignorePunctuation: Boolean(options?.ignorePunctuation),
      collation: "default",
      numeric: options?.numeric === undefined ? /-u-.*\bkn\b(?!-false)/.test(extension) : Boolean(options.numeric),
      caseFirst: oneOf(options?.caseFirst, ["upper", "lower", "false"], "caseFirst", "false"),
    };
  }
  get compare() {
    const { numeric, sensitivity, ignorePunctuation, caseFirst } = this.#options;
    this.#compare ??= (a, b) => {
      let [x, y] = [`${a}`, `${b}`];
      if (ignorePunctuation) [x, y] = [x, y].map((text) => text.replace(/[!-\/:-@\[-`{-~\s]/g, ""));
      const order = native.compare(x, y, numeric, sensitivity);
      // The root collation puts lower case first when nothing else differs.
      return caseFirst === "upper" && order !== 0 && native.compare(x, y, numeric, "accent") === 0 ? -order : order;
    };
    return this.#compare;
  }
  resolvedOptions() {
    return { locale: this.#locale, ...this.#options };
  }
}

const ordinal = (n) => {
  const [ten, hundred] = [n % 10, n % 100];
  if (ten === 1 && hundred !== 11) return "one";
  if (ten === 2 && hundred !== 12) return "two";
  return ten === 3 && hundred !== 13 ? "few" : "other";
};

class PluralRules {
  #locale;
  #type;
  #format;

  constructor(locales = undefined, options = {}) {
    const { NumberFormat } = need("numberformat");
    this.#locale = resolve(locales);
    this.#type = oneOf(options?.type, ["cardinal", "ordinal"], "type", "cardinal");
    this.#format = new NumberFormat(locales, { ...options, style: "decimal", notation: "standard", useGrouping: false });
  }
  select(value) {
    const text = this.#format.format(Number(value)).replace("-", "");
    if (this.#type === "ordinal") return /^\d+$/.test(text) ? ordinal(Number(text)) : "other";
    return text === "1" ? "one" : "other";
  }
  resolvedOptions() {
    const { minimumIntegerDigits, minimumFractionDigits, maximumFractionDigits } = this.#format.resolvedOptions();
    const pluralCategories = this.#type === "ordinal" ? ["few", "one", "two", "other"] : ["one", "other"];
    return { locale: this.#locale, type: this.#type, minimumIntegerDigits, minimumFractionDigits, maximumFractionDigits, pluralCategories };
  }
}

const shortUnits = { year: "yr.", quarter: "qtr.", month: "mo.", week: "wk.", day: "day", hour: "hr.", minute: "min.", second: "sec." };
const narrowUnits = { year: "y", quarter: "q", month: "mo", week: "w", day: "d", hour: "h", minute: "min", second: "s" };
const words = { day: ["yesterday", "today", "tomorrow"], second: [undefined, "now", undefined] };

class RelativeTimeFormat {
  #locale;
  #style;
  #numeric;
  #format;

  constructor(locales = undefined, options = {}) {
    const { NumberFormat } = need("numberformat");
    this.#locale = resolve(locales);
    this.#style = oneOf(options?.style, ["long", "short", "narrow"], "style", "long");
    this.#numeric = oneOf(options?.numeric, ["always", "auto"], "numeric", "always");
    this.#format = new NumberFormat(locales);
  }
  format(value, unit) {
    return this.formatToParts(value, unit).map((part) => part.value).join("");
  }
  formatToParts(value, unit) {
    const n = Number(value);
    if (!Number.isFinite(n)) throw new RangeError("Intl.RelativeTimeFormat: the value must be finite");
    const name = `${unit}`.replace(/s$/, "");
    if (shortUnits[name] === undefined) throw new RangeError(`Intl.RelativeTimeFormat: ${JSON.stringify(`${unit}`)} is no unit`);
    const word = this.#numeric === "auto" ? this.#word(n, name) : undefined;
    if (word !== undefined) return [{ type: "literal", value: word }];
    const number = this.#format.formatToParts(Math.abs(n)).map((part) => ({ ...part, unit: name }));
    const text = number.map((part) => part.value).join("");
    const after = this.#unit(name, text === "1");
    const past = n < 0 || Object.is(n, -0);
    return [...(past ? [] : [{ type: "literal", value: "in " }]), ...number, { type: "literal", value: past ? `${after} ago` : after }];
  }
  #word(n, unit) {
    if (![-1, 0, 1].includes(n)) return undefined;
    const known = words[unit];
    if (known !== undefined) return known[n + 1];
    if (n !== 0 && ["hour", "minute"].includes(unit)) return undefined;
    const name = this.#style === "long" ? unit : shortUnits[unit];
    return `${["last", "this", "next"][n + 1]} ${unit === "hour" || unit === "minute" ? unit : name}`;
  }
  #unit(name, one) {
    if (this.#style === "narrow") return narrowUnits[name];
    if (this.#style === "long") return ` ${name}${one ? "" : "s"}`;
    const short = shortUnits[name];
    if (name === "day") return one ? " day" : " days";
    return ` ${name === "quarter" && !one ? "qtrs." : short}`;
  }
  resolvedOptions() {
    return { locale: this.#locale, style: this.#style, numeric: this.#numeric, numberingSystem: "latn" };
  }
}

class ListFormat {
  #locale;
  #type;
  #style;

  constructor(locales = undefined, options = {}) {
    this.#locale = resolve(locales);
    this.#type = oneOf(options?.type, ["conjunction", "disjunction", "unit"], "type", "conjunction");
    this.#style = oneOf(options?.style, ["long", "short", "narrow"], "style", "long");
  }
  format(items) {
    return this.formatToParts(items).map((part) => part.value).join("");
  }
  formatToParts(items) {
    const texts = Array.from(items, (item) => {
      if (typeof item !== "string") throw new TypeError("Intl.ListFormat: every member must be a string");
      return item;
    });
    const plain = this.#type === "conjunction" && this.#style === "narrow";
    const word = this.#type === "unit" || plain ? "" : this.#type === "disjunction" ? "or " : this.#style === "long" ? "and " : "& ";
    const comma = this.#type === "unit" && this.#style === "narrow" ? " " : ", ";
    return texts.flatMap((text, i) => {
      const element = { type: "element", value: text };
      if (i === 0) return [element];
      const last = i === texts.length - 1;
      const separator = last && texts.length === 2 && word !== "" ? ` ${word}` : last ? comma + word : comma;
      return [{ type: "literal", value: separator }, element];
    });
  }
  resolvedOptions() {
    return { locale: this.#locale, type: this.#type, style: this.#style };
  }
}

const Intl = {};
Object.defineProperty(Intl, Symbol.toStringTag, { value: "Intl", configurable: true });
const method = (name, value) => Object.defineProperty(Intl, name, { value, writable: true, configurable: true });
for (const [name, type] of Object.entries({ Collator, PluralRules, RelativeTimeFormat, ListFormat })) method(name, service(type, name));
method("getCanonicalLocales", (locales) => [...new Set(list(locales))]);
method("supportedValuesOf", (key) => {
  const known = { calendar: ["gregory"], collation: ["default"], currency: ["CHF", "EUR", "GBP", "JPY", "USD"], numberingSystem: ["latn"], timeZone: ["UTC"], unit: [] };
  if (!Object.hasOwn(known, `${key}`)) throw new RangeError(`Intl.supportedValuesOf: ${JSON.stringify(`${key}`)} is no key`);
  return known[key];
});
for (const [name, script] of [["DateTimeFormat", "datetimeformat"], ["NumberFormat", "numberformat"]]) {
  Object.defineProperty(Intl, name, {
    configurable: true,
    get() {
      const value = need(script)[name];
      method(name, value);
      return value;
    },
    set(value) {
      method(name, value);
    },
  });
}

// The methods of built-in prototypes: they look here at their first call.
// The formatters of calls without locale and options are kept.
const usual = new Map();
const formatter = (key, locales, options, make) => {
  if (locales !== undefined || options !== undefined) return make();
  if (!usual.has(key)) usual.set(key, make());
  return usual.get(key);
};
const formatDate = (date, locales, options, required, defaults) => {
  const time = Date.prototype.getTime.call(date);
  if (Number.isNaN(time)) return "Invalid Date";
  const { DateTimeFormat } = need("datetimeformat");
  return formatter(required, locales, options, () => new DateTimeFormat(locales, options, required, defaults)).format(time);
};
const formatNumber = (value, locales, options) => {
  const { NumberFormat } = need("numberformat");
  return formatter("number", locales, options, () => new NumberFormat(locales, options)).format(value);
};
const compare = (a, b, locales, options) => new Collator(locales, options).compare(a, b);

Object.assign(exports, { Intl, formatDate, formatNumber, compare });
