
"use strict";
// Intl.NumberFormat (ECMA-402 section 16) for en-US.

const { failed, resolve, oneOf, inRange, service } = need("locale");

const symbols = { USD: "$", EUR: "€", GBP: "£", JPY: "¥", INR: "₹", CNY: "CN¥", KRW: "₩", BRL: "R$", CAD: "CA$", AUD: "A$", MXN: "MX$", NZD: "NZ$", ILS: "₪", VND: "₫", HKD: "HK$", TWD: "NT$", PHP: "₱" };
const names = {
  USD: ["US dollar", "US dollars"], EUR: ["euro", "euros"], GBP: ["British pound", "British pounds"], JPY: ["Japanese yen", "Japanese yen"],
  CHF: ["Swiss franc", "Swiss francs"], CAD: ["Canadian dollar", "Canadian dollars"], AUD: ["Australian dollar", "Australian dollars"],
  CNY: ["Chinese yuan", "Chinese yuan"], INR: ["Indian rupee", "Indian rupees"],
};
// ISO 4217: the currencies whose minor unit is not a hundredth.
const minorDigits = { BIF: 0, CLP: 0, DJF: 0, GNF: 0, JPY: 0, KMF: 0, KRW: 0, PYG: 0, RWF: 0, UGX: 0, UYI: 0, VND: 0, VUV: 0, XAF: 0, XOF: 0, XPF: 0, BHD: 3, IQD: 3, JOD: 3, KWD: 3, LYD: 3, OMR: 3, TND: 3 };
// Unit → [short, narrow], and long names made of the unit's own.
const units = {
  bit: [" bit"], byte: [" byte"], kilobit: [" kb"], kilobyte: [" kB"], megabit: [" Mb"], megabyte: [" MB"], gigabit: [" Gb"], gigabyte: [" GB"],
  terabit: [" Tb"], terabyte: [" TB"], petabyte: [" PB"], millisecond: [" ms"], second: [" sec"], minute: [" min"], hour: [" hr"], day: [" day", " days"],
  week: [" wk", " wks"], month: [" mth", " mths"], year: [" yr", " yrs"], millimeter: [" mm"], centimeter: [" cm"], meter: [" m"], kilometer: [" km"],
  inch: [" in"], foot: [" ft"], yard: [" yd"], mile: [" mi"], gram: [" g"], kilogram: [" kg"], ounce: [" oz"], pound: [" lb"], stone: [" st"],
  liter: [" L"], milliliter: [" mL"], gallon: [" gal"], "fluid-ounce": [" fl oz"], acre: [" ac"], hectare: [" ha"], celsius: ["°C"], fahrenheit: ["°F"],
  degree: [" deg"], percent: ["%"],
};
const irregular = { foot: "feet", inch: "inches", celsius: "degrees Celsius", fahrenheit: "degrees Fahrenheit", percent: "percent", "fluid-ounce": "fluid ounces", stone: "stones" };

// decimal gives the digits of a number and where its point is: the value is
// 0.d1d2d3… × 10^point. A number has its shortest digits, as it is printed.
const decimal = (value) => {
  const [, whole, fraction = "", exponent = "0"] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(`${value}`);
  const digits = `${whole}${fraction}`;
  const stripped = digits.replace(/^0+/, "");
  if (stripped === "") return { digits: "", point: 0 };
  return { digits: stripped.replace(/0+$/, ""), point: whole.length + Number(exponent) - (digits.length - stripped.length) };
};

// roundUp says whether the magnitude grows when `rest` is cut off.
const roundUp = (mode, negative, kept, rest) => {
  if (/^0*$/.test(rest)) return false;
  const half = rest[0] > "5" ? 1 : rest[0] < "5" ? -1 : /^50*$/.test(rest) ? 0 : 1;
  switch (mode) {
    case "ceil": return !negative;
    case "floor": return negative;
    case "expand": return true;
    case "trunc": return false;
    case "halfCeil": return half > 0 || (half === 0 && !negative);
    case "halfFloor": return half > 0 || (half === 0 && negative);
    case "halfTrunc": return half > 0;
    case "halfEven": return half > 0 || (half === 0 && Number(kept.at(-1) ?? 0) % 2 === 1);
    default: return half >= 0;
  }
};

// round keeps `count` digits, which may be none or fewer.
const round = ({ digits, point }, count, mode, negative) => {
  if (count >= digits.length) return { digits, point };
  if (count < 0) return roundUp(mode, negative, "", `0${digits}`) ? { digits: "1", point: point - count + 1 } : { digits: "", point: 0 };
  const kept = digits.slice(0, count);
  if (!roundUp(mode, negative, kept, digits.slice(count))) return { digits: kept.replace(/0+$/, ""), point: kept === "" ? 0 : point };
  const grown = `${BigInt(kept === "" ? "0" : kept) + 1n}`;
  return { digits: grown.replace(/0+$/, ""), point: point + (grown.length - count) };
};

const plain = ({ digits, point }, minimumInteger, minimumFraction) => {
  const whole = point <= 0 ? "0" : digits.slice(0, point).padEnd(point, "0");
  const fraction = point < 0 ? "0".repeat(-point) + digits : digits.slice(Math.max(point, 0));
  return [whole.padStart(minimumInteger, "0"), fraction.padEnd(minimumFraction, "0")];
};

class NumberFormat {
  #locale;
  #options;
  #format;

  constructor(locales = undefined, options = {}) {
    this.#locale = resolve(locales);
    this.#options = settle(options ?? {});
  }

  get format() {
    this.#format ??= (value) => this.formatToParts(value).map((part) => part.value).join("");
    return this.#format;
  }
  formatToParts(value) {
    return partsOf(typeof value === "bigint" ? value : typeof value === "string" && /^-?\d+$/.test(value) ? BigInt(value) : Number(value), this.#options);
  }
  formatRange(start, end) {
    const [from, to] = [this.format(start), this.format(end)];
    return from === to ? `~${from}` : `${from} – ${to}`;
  }
  resolvedOptions() {
    const shown = { locale: this.#locale, numberingSystem: "latn" };
    for (const [name, value] of Object.entries(this.#options)) if (value !== undefined) shown[name] = value;
    return shown;
  }
}

const settle = (given) => {
  const style = oneOf(given.style, ["decimal", "percent", "currency", "unit"], "style", "decimal");
  const notation = oneOf(given.notation, ["standard", "scientific", "engineering", "compact"], "notation", "standard");
  const options = { style };
  if (style === "currency") {
    if (given.currency === undefined) throw new TypeError("Intl.NumberFormat: the currency style needs a currency");
    options.currency = `${given.currency}`.toUpperCase();
    if (!/^[A-Z]{3}$/.test(options.currency)) throw new RangeError(`Intl.NumberFormat: ${JSON.stringify(given.currency)} is no currency code`);
    options.currencyDisplay = oneOf(given.currencyDisplay, ["code", "symbol", "narrowSymbol", "name"], "currencyDisplay", "symbol");
    options.currencySign = oneOf(given.currencySign, ["standard", "accounting"], "currencySign", "standard");
  }
  if (style === "unit") {
    if (given.unit === undefined) throw new TypeError("Intl.NumberFormat: the unit style needs a unit");
    options.unit = `${given.unit}`;
    for (const unit of options.unit.split("-per-")) {
      if (units[unit] === undefined) throw failed(`Intl.NumberFormat: the unit ${JSON.stringify(options.unit)} is not supported`, "ERR_UNIT_NOT_SUPPORTED");
    }
    options.unitDisplay = oneOf(given.unitDisplay, ["short", "narrow", "long"], "unitDisplay", "short");
  }
  const [low, high] = style === "currency" && notation === "standard" ? [minorDigits[options.currency] ?? 2, minorDigits[options.currency] ?? 2] : [0, style === "percent" || notation === "compact" ? 0 : 3];
  options.minimumIntegerDigits = inRange(given.minimumIntegerDigits, 1, 21, "minimumIntegerDigits", 1);
  const significant = given.minimumSignificantDigits !== undefined || given.maximumSignificantDigits !== undefined;
  if (significant) {
    options.minimumSignificantDigits = inRange(given.minimumSignificantDigits, 1, 21, "minimumSignificantDigits", 1);
    options.maximumSignificantDigits = inRange(given.maximumSignificantDigits, options.minimumSignificantDigits, 21, "maximumSignificantDigits", 21);
  } else {
    let minimum = inRange(given.minimumFractionDigits, 0, 100, "minimumFractionDigits", undefined);
    let maximum = inRange(given.maximumFractionDigits, 0, 100, "maximumFractionDigits", undefined);
    options.roundsCompact = notation === "compact" && minimum === undefined && maximum === undefined;
    minimum ??= maximum === undefined ? low : Math.min(low, maximum);
    maximum ??= Math.max(high, minimum);
    if (minimum > maximum) throw new RangeError(`Intl.NumberFormat: minimumFractionDigits (${minimum}) is above maximumFractionDigits (${maximum})`);
    options.minimumFractionDigits = minimum;
    options.maximumFractionDigits = maximum;
  }
  Object.defineProperty(options, "roundsCompact", { enumerable: false });
  const grouping = given.useGrouping;
  options.useGrouping = grouping === undefined ? (notation === "compact" ? "min2" : "auto") : grouping === true || grouping === "true" ? "always" : grouping === false || grouping === "false" ? false : oneOf(grouping, ["min2", "auto", "always"], "useGrouping", "auto");
  options.notation = notation;
  if (notation === "compact") options.compactDisplay = oneOf(given.compactDisplay, ["short", "long"], "compactDisplay", "short");
  options.signDisplay = oneOf(given.signDisplay, ["auto", "never", "always", "exceptZero", "negative"], "signDisplay", "auto");
  options.roundingMode = oneOf(given.roundingMode, ["ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfExpand", "halfTrunc", "halfEven"], "roundingMode", "halfExpand");
  options.trailingZeroDisplay = oneOf(given.trailingZeroDisplay, ["auto", "stripIfInteger"], "trailingZeroDisplay", "auto");
  return options;
};

const rounded = (number, options, negative) => {
  if (options.maximumSignificantDigits !== undefined) return round(number, options.maximumSignificantDigits, options.roundingMode, negative);
  if (options.roundsCompact) {
    const whole = round(number, number.point, options.roundingMode, negative);
    return whole.digits === "" || whole.point < 2 ? round(number, 2, options.roundingMode, negative) : whole;
  }
  return round(number, number.point + options.maximumFractionDigits, options.roundingMode, negative);
};

const compactNames = { short: ["", "K", "M", "B", "T"], long: ["", " thousand", " million", " billion", " trillion"] };

// scaled divides by the power of ten that the notation shows on its own.
const scaled = (number, options, negative) => {
  if (options.notation === "standard" || number.digits === "") return [rounded(number, options, negative), 0];
  const exponentOf = (point) => {
    if (options.notation === "scientific") return point - 1;
    const third = Math.floor((point - 1) / 3) * 3;
    return options.notation === "engineering" ? third : Math.min(Math.max(third, 0), 12);
  };
  let exponent = exponentOf(number.point);
  let result = rounded({ digits: number.digits, point: number.point - exponent }, options, negative);
  const again = exponentOf(result.point + exponent);
  if (again !== exponent && result.digits !== "") {
    exponent = again;
    result = rounded({ digits: number.digits, point: number.point - exponent }, options, negative);
  }
  return [result, exponent];
};

const numberParts = (value, options) => {
  if (typeof value === "number" && !Number.isFinite(value)) return [[Number.isNaN(value) ? { type: "nan", value: "NaN" } : { type: "infinity", value: "∞" }], false, ""];
  const negative = typeof value === "bigint" ? value < 0n : value < 0;
  let number = decimal(typeof value === "bigint" ? (negative ? -value : value) : Math.abs(value));
  if (options.style === "percent" && number.digits !== "") number = { ...number, point: number.point + 2 };
  const [result, exponent] = scaled(number, options, negative);
  let minimumFraction = options.minimumFractionDigits ?? 0;
  if (options.minimumSignificantDigits !== undefined) {
    minimumFraction = Math.max(0, options.minimumSignificantDigits - (result.digits === "" ? 1 : result.point));
  }
  let [whole, fraction] = plain(result, options.minimumIntegerDigits, minimumFraction);
  if (options.trailingZeroDisplay === "stripIfInteger" && /^0*$/.test(fraction)) fraction = "";
  const parts = [];
  const least = options.useGrouping === "min2" ? 5 : 4;
  const groups = options.useGrouping !== false && whole.length >= least ? whole.replace(/\B(?=(\d{3})+$)/g, ",").split(",") : [whole];
  groups.forEach((group, i) => {
    if (i > 0) parts.push({ type: "group", value: "," });
    parts.push({ type: "integer", value: group });
  });
  if (fraction !== "") parts.push({ type: "decimal", value: "." }, { type: "fraction", value: fraction });
  if (options.notation === "scientific" || options.notation === "engineering") {
    parts.push({ type: "exponentSeparator", value: "E" });
    if (exponent < 0) parts.push({ type: "exponentMinusSign", value: "-" });
    parts.push({ type: "exponentInteger", value: `${Math.abs(exponent)}` });
  }
  if (options.notation === "compact" && exponent > 0) {
    const name = compactNames[options.compactDisplay][exponent / 3];
    if (name.startsWith(" ")) parts.push({ type: "literal", value: " " });
    parts.push({ type: "compact", value: name.trim() });
  }
  return [parts, result.digits === "", parts.map((part) => part.value).join("")];
};

const signOf = (value, zero, display) => {
  const negative = typeof value === "bigint" ? value < 0n : value < 0 || Object.is(value, -0);
  switch (display) {
    case "never": return "";
    case "always": return negative ? "-" : "+";
    case "exceptZero": return zero || Number.isNaN(value) ? "" : negative ? "-" : "+";
    case "negative": return negative && !zero ? "-" : "";
    default: return negative ? "-" : "";
  }
};

const partsOf = (value, options) => {
  const [number, zero, text] = numberParts(value, options);
  const sign = signOf(value, zero, options.signDisplay);
  const signed = sign === "" ? [] : [{ type: sign === "-" ? "minusSign" : "plusSign", value: sign }];
  switch (options.style) {
    case "percent":
      return [...signed, ...number, { type: "percentSign", value: "%" }];
    case "currency":
      return currencyParts(options, sign, signed, number, text);
    case "unit":
      return [...signed, ...number, ...unitParts(options, text)];
  }
  return [...signed, ...number];
};

const currencyParts = (options, sign, signed, number, text) => {
  const { currency, currencyDisplay } = options;
  if (currencyDisplay === "name") {
    const [one, many] = names[currency] ?? [currency, currency];
    return [...signed, ...number, { type: "literal", value: " " }, { type: "currency", value: text === "1" ? one : many }];
  }
  const symbol = currencyDisplay === "code" ? currency : currencyDisplay === "narrowSymbol" ? (symbols[currency] ?? currency).replace(/^[A-Z]+(?=[^A-Z])/, "") : symbols[currency] ?? currency;
  const space = /[A-Z]$/.test(symbol) ? [{ type: "literal", value: "\u00a0" }] : [];
  const amount = [{ type: "currency", value: symbol }, ...space, ...number];
  if (options.currencySign === "accounting" && sign === "-") return [{ type: "literal", value: "(" }, ...amount, { type: "literal", value: ")" }];
  return [...signed, ...amount];
};

const unitText = (unit, display, one) => {
  if (display === "long") {
    if (unit === "percent" || (one && irregular[unit] === undefined)) return ` ${unit}`;
    if (one) return ` ${{ foot: "foot", inch: "inch", celsius: "degree Celsius", fahrenheit: "degree Fahrenheit", "fluid-ounce": "fluid ounce", stone: "stone" }[unit]}`;
    return ` ${irregular[unit] ?? `${unit}s`}`;
  }
  const [singular, plural = singular] = units[unit];
  const text = one ? singular : plural;
  return display === "narrow" ? text.trim() : text;
};

const unitParts = (options, text) => {
  const [unit, per] = options.unit.split("-per-");
  let name = unitText(unit, options.unitDisplay, text === "1");
  if (options.unit === "kilometer-per-hour" && options.unitDisplay !== "long") name = options.unitDisplay === "narrow" ? "km/h" : " km/h";
  else if (options.unit === "mile-per-hour" && options.unitDisplay !== "long") name = options.unitDisplay === "narrow" ? "mph" : " mph";
  else if (per !== undefined) name += options.unitDisplay === "long" ? ` per ${per}` : `/${{ second: "s", minute: "min", hour: "h", day: "d" }[per] ?? unitText(per, "narrow", true)}`;
  const space = name.startsWith(" ") ? [{ type: "literal", value: " " }] : [];
  return [...space, { type: options.unit === "percent" ? "percentSign" : "unit", value: name.trim() }];
};

exports.NumberFormat = service(NumberFormat, "NumberFormat");
