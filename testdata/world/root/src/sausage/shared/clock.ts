// What the clock extension offers and others ask for. Both sides import this
// file, so the type checker sees the whole way of a call.
import { defineService } from "harness";

export interface Clock {
  /** The time in ISO 8601, in UTC. */
  now(): string;
  /** The date, as 2026-11-30. */
  today(): string;
  /** The full hour of the day, 0 to 23. */
  hour(): number;
}

export const Clock = defineService<Clock>("clock");
