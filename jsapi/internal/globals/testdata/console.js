// console writes through the host; the texts are checked in console_test.go.
typeof console.log === "function" && Object.prototype.toString.call(console) === "[object console]"
["log", "info", "warn", "error", "debug", "trace", "table", "dir", "assert", "count", "countReset", "time", "timeLog", "timeEnd", "group", "groupCollapsed", "groupEnd"].every((m) => typeof console[m] === "function" && console[m].name === m)
(() => { const { log } = console; log("free"); return true; })()
