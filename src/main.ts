// The program: hands the command line to the command it names.

import { enableCompileCache } from "node:module";
import { join } from "node:path";

// Must come before the other modules are read. Compiled code is kept between starts: 0.45 s instead of 0.67 s.
enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/node"));
const { runCli } = await import("./cli/cli.ts");

const args = process.argv.slice(2);
process.exitCode = await runCli(args);
// Output that nobody reads keeps a process alive: right for a command, wrong for a service that has stopped.
if (args[0] === "serve") process.exit();
