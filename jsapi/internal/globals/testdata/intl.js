// Intl for en-US and UTC, toLocale… and localeCompare. The texts are those of
// Node 20 with its ICU, with a plain space before AM and PM.
!globalThis.thrown = (f) => { try { f(); } catch (e) { return e; } };
!globalThis.d = new Date(Date.UTC(2026, 0, 5, 15, 6, 7, 89)); globalThis.f = (o) => new Intl.DateTimeFormat("en-US", { timeZone: "UTC", ...o }).format(d).replace(/\u202f/g, " ");
!globalThis.n = (o, v) => new Intl.NumberFormat("en-US", o).format(v); globalThis.r = (o, ...a) => new Intl.RelativeTimeFormat("en", o).format(...a);
f({}) === "1/5/2026" && f({ dateStyle: "full" }) === "Monday, January 5, 2026" && f({ dateStyle: "medium" }) === "Jan 5, 2026" && f({ dateStyle: "short" }) === "1/5/26" && f({ dateStyle: "long" }) === "January 5, 2026"
f({ timeStyle: "full" }) === "3:06:07 PM Coordinated Universal Time" && f({ timeStyle: "long" }) === "3:06:07 PM UTC" && f({ timeStyle: "short" }) === "3:06 PM"
f({ dateStyle: "full", timeStyle: "short" }) === "Monday, January 5, 2026 at 3:06 PM" && f({ dateStyle: "medium", timeStyle: "short" }) === "Jan 5, 2026, 3:06 PM" && f({ dateStyle: "short", timeStyle: "long" }) === "1/5/26, 3:06:07 PM UTC"
f({ month: "long", day: "numeric" }) === "January 5" && f({ month: "long", year: "numeric" }) === "January 2026" && f({ weekday: "short", month: "short", day: "numeric" }) === "Mon, Jan 5"
f({ weekday: "long", year: "numeric", month: "2-digit", day: "2-digit" }) === "Monday, 01/05/2026" && f({ year: "2-digit", month: "2-digit", day: "2-digit" }) === "01/05/26"
f({ hour: "numeric" }) === "3 PM" && f({ hour: "2-digit", minute: "2-digit" }) === "03:06 PM" && f({ hour: "2-digit", minute: "2-digit", hour12: false }) === "15:06"
f({ hour: "numeric", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23" }) === "15:06:07.089" && f({ minute: "numeric", second: "numeric" }) === "06:07" && f({ minute: "numeric" }) === "6"
f({ month: "long", day: "numeric", hour: "numeric", minute: "numeric" }) === "January 5 at 3:06 PM" && f({ month: "short", day: "numeric", hour: "numeric", minute: "numeric" }) === "Jan 5, 3:06 PM"
f({ weekday: "short", hour: "numeric" }) === "Mon 3 PM" && f({ timeZoneName: "short" }) === "1/5/2026, UTC" && f({ hour: "numeric", timeZoneName: "short" }) === "3 PM UTC"
f({ era: "short" }) === "1/5/2026 AD" && f({ month: "narrow" }) === "J" && f({ year: "numeric", month: "numeric" }) === "1/2026" && f({ weekday: "short", day: "numeric" }) === "5 Mon" && f({ fractionalSecondDigits: 2 }) === "08"
f({ month: "long", day: "numeric", year: "numeric", weekday: "long", hour: "numeric" }) === "Monday, January 5, 2026 at 3 PM" && f({ dateStyle: "long", timeStyle: "long", hour12: false }) === "January 5, 2026 at 15:06:07 UTC"
d.toLocaleString("en-US", { timeZone: "UTC" }).replace(/\u202f/g, " ") === "1/5/2026, 3:06:07 PM" && d.toLocaleDateString() === "1/5/2026" && d.toLocaleTimeString("en-US").replace(/\u202f/g, " ") === "3:06:07 PM"
d.toLocaleDateString("en-US", { month: "short", day: "numeric" }) === "Jan 5" && d.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false }) === "15:06" && new Date(NaN).toLocaleString() === "Invalid Date"
new Intl.DateTimeFormat("en-US", { dateStyle: "medium" }).formatToParts(d).map((p) => p.type).join() === "month,literal,day,literal,year"
new Intl.DateTimeFormat().resolvedOptions().timeZone === "UTC" && new Intl.DateTimeFormat().resolvedOptions().locale === "en-US"
thrown(() => new Intl.DateTimeFormat("en-US").format(NaN)) instanceof RangeError && thrown(() => new Intl.DateTimeFormat("en", { dateStyle: "full", year: "numeric" })) instanceof TypeError && thrown(() => new Intl.DateTimeFormat("en", { month: "x" })) instanceof RangeError
[n({}, 1234567.8912), n({}, -0), n({}, NaN), n({}, Infinity), n({}, 1e21), n({}, 1.005), n({ maximumFractionDigits: 2 }, 1.005)].join("|") === "1,234,567.891|-0|NaN|∞|1,000,000,000,000,000,000,000|1.005|1.01"
[n({ style: "percent" }, 0.256), n({ style: "percent", maximumFractionDigits: 1 }, 0.2567)].join("|") === "26%|25.7%"
[n({ style: "currency", currency: "USD" }, -1234.5), n({ style: "currency", currency: "EUR" }, 1234.5), n({ style: "currency", currency: "JPY" }, 1234.5), n({ style: "currency", currency: "CHF" }, 1), n({ style: "currency", currency: "USD", currencySign: "accounting" }, -1)].join("|") === "-$1,234.50|€1,234.50|¥1,235|CHF\u00a01.00|($1.00)"
[n({ style: "currency", currency: "USD", currencyDisplay: "code" }, 1), n({ style: "currency", currency: "USD", currencyDisplay: "name" }, 2)].join("|") === "USD\u00a01.00|2.00 US dollars"
[1234, 12345, 999999, 1.5e9, 123, 0.123, 12.345].map((v) => n({ notation: "compact" }, v)).join("|") === "1.2K|12K|1M|1.5B|123|0.12|12"
n({ notation: "compact", compactDisplay: "long" }, 1234567) === "1.2 million" && n({ notation: "scientific" }, 12345) === "1.235E4" && n({ notation: "engineering" }, 12345) === "12.345E3"
[n({ minimumIntegerDigits: 3 }, 5), n({ maximumSignificantDigits: 3 }, 123456), n({ minimumSignificantDigits: 5 }, 1.2), n({ useGrouping: false }, 1234567), n({ minimumFractionDigits: 2 }, 1)].join("|") === "005|123,000|1.2000|1234567|1.00"
[n({ signDisplay: "always" }, 5), n({ signDisplay: "exceptZero" }, 0), n({ signDisplay: "never" }, -5), n({ maximumFractionDigits: 0, roundingMode: "floor" }, 1.9)].join("|") === "+5|0|5|1"
[n({ style: "unit", unit: "kilometer" }, 5), n({ style: "unit", unit: "megabyte", unitDisplay: "long" }, 2), n({ style: "unit", unit: "kilometer-per-hour" }, 50), n({ style: "unit", unit: "celsius" }, 5), n({ style: "unit", unit: "day", unitDisplay: "long" }, 1), n({ style: "unit", unit: "percent" }, 1)].join("|") === "5 km|2 megabytes|50 km/h|5°C|1 day|1%"
n({}, 12345678901234567890n) === "12,345,678,901,234,567,890" && (1234.5).toLocaleString() === "1,234.5" && 1234567n.toLocaleString("en-US") === "1,234,567" && (0.5).toLocaleString("en-US", { style: "percent" }) === "50%"
[0, 0.5, 0.05, 1.5, 2.5, 999.9995, 1e-7, 123456789.12345].map((v) => n({}, v)).join("|") === "0|0.5|0.05|1.5|2.5|1,000|0|123,456,789.123"
[0.5, 1.5, 0.4, 0.05, -0.5].map((v) => n({ maximumFractionDigits: 0 }, v)).join("|") === "1|2|0|0|-1"
new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" }).formatToParts(-1234.5).map((p) => p.type).join() === "minusSign,currency,integer,group,integer,decimal,fraction"
thrown(() => n({ style: "currency" }, 1)) instanceof TypeError && thrown(() => n({ minimumFractionDigits: 101 }, 1)) instanceof RangeError && thrown(() => n({ style: "x" }, 1)) instanceof RangeError
[r({}, -1, "day"), r({ numeric: "auto" }, -1, "day"), r({ numeric: "auto" }, 0, "day"), r({ numeric: "auto" }, 1, "day"), r({}, 2, "hours"), r({ style: "short" }, -2, "months"), r({ style: "narrow" }, 3, "minute")].join("|") === "1 day ago|yesterday|today|tomorrow|in 2 hours|2 mo. ago|in 3min"|| r({ style: "narrow" }, 3, "minute") === "in 3m"
[r({ numeric: "auto" }, 0, "second"), r({ numeric: "auto" }, 0, "hour"), r({ numeric: "auto" }, -1, "week"), r({ numeric: "auto" }, 1, "year"), r({}, 1000, "day"), r({ style: "short" }, 1, "quarter"), r({ style: "short" }, 2, "quarter"), r({ style: "narrow" }, -1, "week")].join("|") === "now|this hour|last week|next year|in 1,000 days|in 1 qtr.|in 2 qtrs.|1w ago"
new Intl.ListFormat("en").format(["a", "b", "c"]) === "a, b, and c" && new Intl.ListFormat("en", { type: "disjunction" }).format(["a", "b"]) === "a or b" && new Intl.ListFormat("en", { type: "unit" }).format(["a", "b", "c"]) === "a, b, c" && new Intl.ListFormat("en", { style: "short" }).format(["a", "b", "c"]) === "a, b, & c" && new Intl.ListFormat("en").format([]) === ""
[0, 1, 2, 1.5].map((v) => new Intl.PluralRules("en").select(v)).join() === "other,one,other,other" && [1, 2, 3, 4, 11, 12, 13, 21, 22, 23].map((v) => new Intl.PluralRules("en", { type: "ordinal" }).select(v)).join() === "one,two,few,other,other,other,other,one,two,few"
["b", "a", "C", "ä"].sort(new Intl.Collator("en").compare).join() === "a,ä,b,C" && ["a10", "a2", "a1"].sort(new Intl.Collator("en", { numeric: true }).compare).join() === "a1,a2,a10"
"a".localeCompare("b") === -1 && "a".localeCompare("A", "en", { sensitivity: "base" }) === 0 && "a".localeCompare("á", "en", { sensitivity: "base" }) === 0 && "a".localeCompare("á", "en", { sensitivity: "accent" }) !== 0 && "a2".localeCompare("a10", undefined, { numeric: true }) === -1
"a".localeCompare("A") === -1 && "a".localeCompare("A", "en", { caseFirst: "upper" }) === 1
Intl.getCanonicalLocales("en-US").join() === "en-US" && Intl.NumberFormat.supportedLocalesOf(["en-US", "xx"]).join() === "en-US" && Object.prototype.toString.call(Intl) === "[object Intl]"
new Date(0).toLocaleDateString(undefined, { weekday: "long" }) === "Thursday" && [1234.5, new Date(0)].toLocaleString().startsWith("1,234.5,1/1/1970, 12:00:00")
