// A process that runs the commands it receives, one after another, and sends back their output.

import { join } from "node:path";
import { type CommandResult, type Environment, NO_ENV_FILE } from "./commands.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
const { runCli } = await import(join(import.meta.dirname, "../../../src/cli/cli.ts"));
const path = process.env.PATH;

process.on("disconnect", () => process.exit());
process.on("message", run);

async function run({ args, environment }: { args: string[]; environment: Environment }): Promise<void> {
  process.env = { PATH: path, ...NO_ENV_FILE, ...environment };
  const result: CommandResult = { code: 0, stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    process[name].write = (text: unknown) => {
      result[name] += text;
      return true;
    };
  }
  result.code = await runCli(args);
  // A command leaves its listeners to the end of its process.
  for (const signal of SIGNALS) process.removeAllListeners(signal);
  process.removeAllListeners("message").on("message", run);
  process.stdout.removeAllListeners("error");
  process.send?.(result);
}
