// Runs the program as another user. Loads all of it as root first, since that user may not be allowed to read the project.

import { globSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import SqliteConnection from "better-sqlite3";

const [uid, gid, root = "", ...args] = process.argv.slice(2);
enableCompileCache(join(root, "node_modules/.cache/node"));
for (const file of globSync(join(root, "src/**/*.ts"))) {
  if (!/(?:main|\.d)\.ts$/.test(file)) await import(file);
}
// The driver loads its binary with the first connection.
new SqliteConnection(":memory:").close();
process.setgroups?.([Number(gid)]);
process.setgid?.(Number(gid));
process.setuid?.(Number(uid));
const { runCli } = await import(join(root, "src/cli/cli.ts"));
process.exitCode = await runCli(args);
