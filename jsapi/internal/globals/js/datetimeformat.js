
"use strict";
// Intl.DateTimeFormat (ECMA-402 section 11) for en-US and UTC.

const { failed, resolve, oneOf, inRange, service } = need("locale");

const months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const widths = ["narrow", "short", "long"];
const digits = ["2-digit", "numeric"];

const styles = {
  dateStyle: {
    full: { weekday: "long", year: "numeric", month: "long", day: "numeric" },
    long: { year: "numeric", month: "long", day: "numeric" },
    medium: { year: "numeric", month: "short", day: "numeric" },
    short: { year: "2-digit", month: "numeric", day: "numeric" },
  },
  timeStyle: {
    full: { hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "long" },
    long: { hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short" },
    medium: { hour: "numeric", minute: "2-digit", second: "2-digit" },
    short: { hour: "numeric", minute: "2-digit" },
  },
};

const zoneOf = (zone) => {
  if (zone === undefined) return "UTC";
  if (/^(utc|gmt|etc\/(utc|gmt|uct|zulu|universal)|zulu|universal|[+-]00:?00)$/i.test(`${zone}`)) return "UTC";
  throw failed(`Intl.DateTimeFormat: the time zone ${JSON.stringify(`${zone}`)} is not supported; only UTC is`, "ERR_TIME_ZONE_NOT_SUPPORTED");
};

// settle gives the fields to show. required and defaults say what is shown
// when no field was asked for: "date", "time" or "any" and "all".
const settle = (given, required, defaults) => {
  const fields = {
    weekday: oneOf(given.weekday, widths, "weekday"),
    era: oneOf(given.era, widths, "era"),
    year: oneOf(given.year, digits, "year"),
    month: oneOf(given.month, [...digits, ...widths], "month"),
    day: oneOf(given.day, digits, "day"),
    dayPeriod: oneOf(given.dayPeriod, widths, "dayPeriod"),
    hour: oneOf(given.hour, digits, "hour"),
    minute: oneOf(given.minute, digits, "minute"),
    second: oneOf(given.second, digits, "second"),
    fractionalSecondDigits: inRange(given.fractionalSecondDigits, 1, 3, "fractionalSecondDigits"),
    timeZoneName: oneOf(given.timeZoneName, ["short", "long", "shortOffset", "longOffset", "shortGeneric", "longGeneric"], "timeZoneName"),
  };
  const dateStyle = oneOf(given.dateStyle, Object.keys(styles.dateStyle), "dateStyle");
  const timeStyle = oneOf(given.timeStyle, Object.keys(styles.timeStyle), "timeStyle");
  if (dateStyle !== undefined || timeStyle !== undefined) {
    const clash = Object.keys(fields).find((name) => fields[name] !== undefined);
    if (clash !== undefined) throw new TypeError(`Intl.DateTimeFormat: ${clash} cannot be given together with dateStyle or timeStyle`);
    if (required === "date" && timeStyle !== undefined) throw new TypeError("toLocaleDateString: timeStyle is no option of a date");
    if (required === "time" && dateStyle !== undefined) throw new TypeError("toLocaleTimeString: dateStyle is no option of a time");
    Object.assign(fields, styles.dateStyle[dateStyle], styles.timeStyle[timeStyle]);
  } else {
    const has = (...names) => names.some((name) => fields[name] !== undefined);
    const hasDate = has("weekday", "year", "month", "day");
    const hasTime = has("dayPeriod", "hour", "minute", "second", "fractionalSecondDigits");
    const missing = required === "any" ? !hasDate && !hasTime : required === "date" ? !hasDate : !hasTime;
    if (missing && defaults !== "time") Object.assign(fields, { year: "numeric", month: "numeric", day: "numeric" });
    if (missing && defaults !== "date") Object.assign(fields, { hour: "numeric", minute: "2-digit", second: "2-digit" });
  }
  const cycle = oneOf(given.hourCycle, ["h11", "h12", "h23", "h24"], "hourCycle", "h12");
  const hourCycle = given.hour12 === undefined ? cycle : given.hour12 ? "h12" : "h23";
  return { fields, dateStyle, timeStyle, hourCycle, textMonth: ["long", "short", "narrow"].includes(fields.month) };
};

const width = (text, style) => (style === "long" ? text : style === "short" ? text.slice(0, 3) : text[0]);
const pad = (n, style) => (style === "2-digit" ? `${n}`.padStart(2, "0") : `${n}`);

class Parts {
  list = [];
  literal(value) {
    if (this.list.at(-1)?.type === "literal") this.list.at(-1).value += value;
    else this.list.push({ type: "literal", value });
    return this;
  }
  add(type, value) {
    this.list.push({ type, value });
    return this;
  }
}

// dateParts writes the date as en-US orders it.
const dateParts = (date, { fields, textMonth }) => {
  const parts = new Parts();
  const year = date.getUTCFullYear();
  const shown = fields.era === undefined || year > 0 ? year : 1 - year;
  const yearText = fields.year === "2-digit" ? `${Math.abs(shown) % 100}`.padStart(2, "0") : `${shown}`;
  const month = date.getUTCMonth();
  const weekday = fields.weekday === undefined ? undefined : width(weekdays[date.getUTCDay()], fields.weekday);
  const has = (name) => fields[name] !== undefined;
  const trailing = weekday !== undefined && (has("day") || has("month") || has("year")) && !(has("month") && has("day"));
  if (weekday !== undefined && !trailing) {
    parts.add("weekday", weekday);
    if (has("month") || has("day") || has("year")) parts.literal(", ");
  }
  if (textMonth) {
    if (has("month")) parts.add("month", width(months[month], fields.month));
    if (has("day")) parts.literal(" ").add("day", pad(date.getUTCDate(), fields.day));
    if (has("year")) parts.literal(has("day") ? ", " : " ").add("year", yearText);
  } else {
    const numbers = [
      ["month", pad(month + 1, fields.month)],
      ["day", pad(date.getUTCDate(), fields.day)],
      ["year", yearText],
    ].filter(([name]) => has(name));
    numbers.forEach(([name, text], i) => {
      if (i > 0) parts.literal("/");
      parts.add(name, text);
    });
  }
  if (fields.era !== undefined) {
    const era = fields.era === "long" ? ["Before Christ", "Anno Domini"] : fields.era === "narrow" ? ["B", "A"] : ["BC", "AD"];
    parts.literal(" ").add("era", era[year > 0 ? 1 : 0]);
  }
  if (trailing) parts.literal(" ").add("weekday", weekday);
  return parts.list;
};

const hourText = (hours, style, cycle) => {
  const n = { h11: hours % 12, h12: hours % 12 || 12, h23: hours, h24: hours || 24 }[cycle];
  return style === "2-digit" || cycle === "h23" || cycle === "h24" ? `${n}`.padStart(2, "0") : `${n}`;
};

const timeParts = (date, { fields, hourCycle }) => {
  const parts = new Parts();
  const { hour, minute, second, fractionalSecondDigits } = fields;
  const clock = [];
  if (hour !== undefined) clock.push(["hour", hourText(date.getUTCHours(), hour, hourCycle)]);
  // A minute or second beside another field always has two digits.
  if (minute !== undefined) clock.push(["minute", pad(date.getUTCMinutes(), hour !== undefined || second !== undefined ? "2-digit" : "numeric")]);
  if (second !== undefined) clock.push(["second", pad(date.getUTCSeconds(), minute !== undefined ? "2-digit" : "numeric")]);
  clock.forEach(([type, value], i) => {
    if (i > 0) parts.literal(":");
    parts.add(type, value);
  });
  if (fractionalSecondDigits !== undefined) {
    if (second !== undefined) parts.literal(".");
    parts.add("fractionalSecond", `${date.getUTCMilliseconds()}`.padStart(3, "0").slice(0, fractionalSecondDigits));
  }
  if (hour !== undefined && (hourCycle === "h12" || hourCycle === "h11")) parts.literal(" ").add("dayPeriod", date.getUTCHours() < 12 ? "AM" : "PM");
  return parts.list;
};

const zoneText = (style) => ({ long: "Coordinated Universal Time", short: "UTC", shortOffset: "GMT", longOffset: "GMT", shortGeneric: "GMT", longGeneric: "GMT" })[style];

const partsOf = (date, settings) => {
  const { fields, textMonth, dateStyle, timeStyle } = settings;
  const first = dateParts(date, settings);
  const second = timeParts(date, settings);
  const parts = [...first];
  if (first.length > 0 && second.length > 0) {
    const weekdayOnly = first.length === 1 && first[0].type === "weekday";
    const long = fields.month === "long" && (dateStyle === undefined || timeStyle !== undefined);
    parts.push({ type: "literal", value: weekdayOnly ? " " : textMonth && long ? " at " : ", " });
  }
  parts.push(...second);
  if (fields.timeZoneName !== undefined) {
    if (parts.length > 0) parts.push({ type: "literal", value: second.length > 0 ? " " : ", " });
    parts.push({ type: "timeZoneName", value: zoneText(fields.timeZoneName) });
  }
  return parts;
};

const timeOf = (value) => {
  const date = new Date(value === undefined ? Date.now() : typeof value === "object" && value !== null ? +value : Number(value));
  if (Number.isNaN(date.getTime())) throw new RangeError("Intl.DateTimeFormat: the time is not valid");
  return date;
};

class DateTimeFormat {
  #locale;
  #settings;
  #format;

  constructor(locales = undefined, options = {}, required = "any", defaults = "date") {
    this.#locale = resolve(locales);
    zoneOf(options?.timeZone);
    this.#settings = settle(options ?? {}, required, defaults);
  }

  get format() {
    this.#format ??= (value) => this.formatToParts(value).map((part) => part.value).join("");
    return this.#format;
  }
  formatToParts(value) {
    return partsOf(timeOf(value), this.#settings);
  }
  formatRange(start, end) {
    const [from, to] = [this.format(start), this.format(end)];
    return from === to ? from : `${from} – ${to}`;
  }
  resolvedOptions() {
    const { fields, dateStyle, timeStyle, hourCycle } = this.#settings;
    const shown = { locale: this.#locale, calendar: "gregory", numberingSystem: "latn", timeZone: "UTC" };
    if (fields.hour !== undefined) Object.assign(shown, { hourCycle, hour12: hourCycle === "h12" || hourCycle === "h11" });
    if (dateStyle !== undefined || timeStyle !== undefined) Object.assign(shown, { dateStyle, timeStyle });
    else Object.assign(shown, fields);
    return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
  }
}

exports.DateTimeFormat = service(DateTimeFormat, "DateTimeFormat");
