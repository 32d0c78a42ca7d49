package globals

import (
	"testing"
	"time"
)

// TestDateIsUTC checks that no local time of the machine shows through.
func TestDateIsUTC(t *testing.T) {
	local := time.Local
	defer func() { time.Local = local }()
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("TEST", -5*3600-1800), time.FixedZone("EAST", 14*3600)} {
		time.Local = zone
		t.Run(zone.String(), func(t *testing.T) {
			l := newLoop(t)
			for _, expression := range []string{
				`new Date(2026, 0, 5, 10).toISOString() === "2026-01-05T10:00:00.000Z"`,
				`new Date(99, 0).getFullYear() === 1999`,
				`new Date("2026-01-05T10:00").toISOString() === "2026-01-05T10:00:00.000Z"`,
				`new Date("2026-01-05").getTime() === Date.UTC(2026, 0, 5)`,
				`new Date("2026-01-05T10:00Z").getTime() === Date.UTC(2026, 0, 5, 10)`,
				`new Date("2026-01-05T10:00+02:00").getTime() === Date.UTC(2026, 0, 5, 8)`,
				`new Date("Jan 5, 2026 10:00").getTime() === Date.UTC(2026, 0, 5, 10)`,
				`new Date("Mon, 05 Jan 2026 10:00:00 GMT").getTime() === Date.UTC(2026, 0, 5, 10)`,
				`Number.isNaN(new Date("nonsense").getTime()) && Number.isNaN(Date.parse("nonsense"))`,
				`Date.parse("2026-01-05T10:00") === Date.UTC(2026, 0, 5, 10)`,
				`new Date(0).getHours() === 0 && new Date(0).getDate() === 1 && new Date(0).getDay() === 4 && new Date(0).getMonth() === 0`,
				`new Date(0).getTimezoneOffset() === 0`,
				`new Date(0).toString() === "Thu Jan 01 1970 00:00:00 GMT+0000 (UTC)"`,
				`new Date(0).toDateString() === "Thu Jan 01 1970" && new Date(0).toTimeString() === "00:00:00 GMT+0000 (UTC)"`,
				`String(new Date(NaN)) === "Invalid Date" && Number.isNaN(new Date(NaN).getTimezoneOffset())`,
				`(() => { const d = new Date(0); d.setHours(5, 6); d.setMonth(3); return d.toISOString() === "1970-04-01T05:06:00.000Z"; })()`,
				`new Date(0).toLocaleString() === "1/1/1970, 12:00:00 AM"`,
				`new Date(new Date(5)).getTime() === 5 && new Date(5).getTime() === 5 && typeof Date() === "string"`,
				`(() => { class D extends Date { x() { return this.getHours(); } } const d = new D(2026, 0, 1, 7); return d.x() === 7 && d instanceof D && d instanceof Date; })()`,
				`new Date(0) instanceof Date && new Date(0).constructor === Date && Date.name === "Date" && Date.length === 7`,
				`structuredClone(new Date(7)).getTime() === 7 && structuredClone(new Date(7)) instanceof Date`,
				`JSON.stringify(new Date(0)) === '"1970-01-01T00:00:00.000Z"' && new Date(0) + "" === new Date(0).toString() && new Date(7) - 0 === 7`,
				`new Date(undefined).getTime() !== new Date(undefined).getTime() && new Date(null).getTime() === 0 && new Date(true).getTime() === 1`,
			} {
				value, err := l.run("zone.js", "("+expression+")")
				if err != nil || !value.ToBoolean() {
					t.Errorf("%s: %v, %v", expression, value, err)
				}
			}
		})
	}
}
