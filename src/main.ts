// The program: hands the command line to the command it names.

import { enableCompileCache } from "node:module";
import { join } from "node:path";

// Must come before the other modules are read. Compiled code is kept between starts: 0.45 s instead of 0.67 s.
enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/node"));
const { runCli } = await import("./cli/cli.ts");

process.exitCode = await runCli(process.argv.slice(2));
