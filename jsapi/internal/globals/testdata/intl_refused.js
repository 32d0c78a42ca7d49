// What Intl refuses with a named error instead of a text in the wrong language or zone.
!globalThis.thrown = (f) => { try { f(); } catch (e) { return e; } };
thrown(() => new Intl.NumberFormat("de-DE")).code === "ERR_LOCALE_NOT_SUPPORTED" && thrown(() => (1).toLocaleString("fr")) instanceof RangeError && thrown(() => new Date(0).toLocaleDateString("en-GB")).message.includes('"en-GB"')
thrown(() => new Intl.DateTimeFormat("en-US", { timeZone: "Europe/Berlin" })).code === "ERR_TIME_ZONE_NOT_SUPPORTED" && thrown(() => new Date(0).toLocaleString("en-US", { timeZone: "America/New_York" })).message.includes("America/New_York")
thrown(() => "a".localeCompare("b", "sv")).code === "ERR_LOCALE_NOT_SUPPORTED" && thrown(() => new Intl.NumberFormat("en", { style: "unit", unit: "parsec" })).code === "ERR_UNIT_NOT_SUPPORTED"
thrown(() => new Intl.NumberFormat("not a locale!")).code === "ERR_LOCALE_INVALID" && new Intl.NumberFormat(["de", "en"]).resolvedOptions().locale === "en"
