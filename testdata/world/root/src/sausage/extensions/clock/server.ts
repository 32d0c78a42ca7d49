// Shows: a service. It goes live with its commit; whoever asked for it reaches
// the newest one, also by a reference taken long ago.
import { defineExtension } from "@earendil-works/pi-durable";
import type { Host } from "harness";
import { Clock } from "../../shared/clock.ts";

// Before the extensions that look for the clock while they are made.
export const order = -10;

export default function clock(host: Host) {
  host.implement(Clock, {
    now: () => new Date().toISOString(),
    today: () => new Date().toISOString().slice(0, 10),
    hour: () => new Date().getUTCHours(),
  });

  return defineExtension({ name: "clock" });
}
