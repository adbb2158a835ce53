// Runs the program of a folder as another user. Node starts as root: that user may be unable to reach its binary.

import { enableCompileCache } from "node:module";
import { join } from "node:path";

const [uid, gid, root = "", ...args] = process.argv.slice(2);
process.setgroups?.([Number(gid)]);
process.setgid?.(Number(gid));
process.setuid?.(Number(uid));
process.chdir(root);
enableCompileCache(join(root, "cache"));
const { runCli } = await import(join(root, "src/cli/cli.ts"));
process.exitCode = await runCli(args);
