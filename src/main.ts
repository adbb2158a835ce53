// The program: hands the command line to the command it names.

import { runCli } from "./cli/cli.ts";

process.exitCode = await runCli(process.argv.slice(2));
