import type { Host } from "harness";

/** The value in a JSON file, or fallback when there is no such file. */
export async function readJson<T>(host: Host, path: string, fallback: T): Promise<T> {
  try {
    return JSON.parse(await host.fs.read(path));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return fallback;
    throw error;
  }
}

/** Replaces a JSON file; a reader sees the old or the new value, never half of one. */
export async function writeJson(host: Host, path: string, value: unknown): Promise<void> {
  await host.fs.write(path, `${JSON.stringify(value, null, 2)}\n`);
}
