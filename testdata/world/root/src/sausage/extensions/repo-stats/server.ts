// Shows: git in the world, several commands at once, and an error turned into
// an answer.
import { defineExtension, defineTool } from "@earendil-works/pi-durable";
import type { Host } from "harness";
import { Type } from "typebox";
import { text } from "../../shared/text.ts";

interface Author {
  name: string;
  commits: number;
}

function parseAuthors(shortlog: string): Author[] {
  return shortlog
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [commits = "0", name = "unknown"] = line.trim().split("\t");
      return { name, commits: Number(commits) };
    });
}

export default function repoStats(host: Host) {
  const stats = defineTool({
    name: "repo_stats",
    description: "Counts commits, authors and files of a git repository.",
    parameters: Type.Object({
      path: Type.Optional(Type.String({ description: "the folder of the repository; this one by default" })),
      ref: Type.Optional(Type.String({ description: "HEAD by default" })),
    }),
    replay: "safe",
    async execute({ path = "/src/sausage", ref = "HEAD" }) {
      try {
        const [count, shortlog, files, last] = await Promise.all([
          host.git(path, "rev-list", "--count", ref),
          host.git(path, "shortlog", "--summary", "--numbered", ref),
          host.git(path, "ls-tree", "-r", "--name-only", ref),
          host.git(path, "log", "-1", "--format=%h %s", ref),
        ]);
        const authors = parseAuthors(shortlog);
        const details = { commits: Number(count), files: files.split("\n").length, authors, last };
        return {
          ...text(
            `${details.commits} commits by ${authors.length} authors, ${details.files} files`,
            `last: ${last}`,
            ...authors.map((author) => `${author.commits}\t${author.name}`),
          ),
          details,
        };
      } catch (error) {
        // git says best what is wrong with the repository.
        return { ...text(error instanceof Error ? error.message : String(error)), isError: true };
      }
    },
  });

  return defineExtension({ name: "repo-stats", tools: [stats] });
}
