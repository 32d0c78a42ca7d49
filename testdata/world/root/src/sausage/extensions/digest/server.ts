// Shows: bytes, symbolic links, and the modules of Node that work on the world.
import { defineExtension, defineTool } from "@earendil-works/pi-durable";
import { StringEnum } from "@earendil-works/pi-ai";
import type { Host } from "harness";
import { createHash } from "node:crypto";
import { Type } from "typebox";
import { text } from "../../shared/text.ts";

export default function digest(host: Host) {
  const tool = defineTool({
    name: "digest",
    description: "Computes the digest of a file, SHA-256 by default.",
    parameters: Type.Object({
      path: Type.String(),
      algorithm: Type.Optional(StringEnum(["sha256", "sha512", "sha1", "md5"])),
    }),
    replay: "safe",
    async execute({ path, algorithm = "sha256" }) {
      const { kind } = await host.fs.lstat(path);
      if (kind === "directory") throw new Error(`${path} is a folder`);
      const bytes = await host.fs.readBytes(path);
      const hex = createHash(algorithm).update(bytes).digest("hex");
      return { ...text(`${hex}  ${path}`), details: { bytes: bytes.length, link: kind === "symlink" } };
    },
  });

  return defineExtension({ name: "digest", tools: [tool] });
}
