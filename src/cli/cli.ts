// The door for operators: finds the command, shows help, turns failures into one clear line and an exit code.

import { constants } from "node:os";
import { ServiceError } from "../domain/errors.ts";
import { OperatorError } from "../tools/operator-error.ts";
import { removeTemporaryFiles } from "../tools/temporary-files.ts";
import { backup } from "./backup.ts";
import { type Command, UsageError } from "./command.ts";
import { copy } from "./copy.ts";
import { doctor } from "./doctor.ts";
import { exportCommand } from "./export.ts";
import { importCommand } from "./import.ts";
import { keys } from "./keys.ts";
import { migrateCommand } from "./migrate.ts";
import { openapi } from "./openapi.ts";
import { endWithReader, print, printNote } from "./output.ts";
import { restore } from "./restore.ts";
import { sample } from "./sample.ts";
import { serve } from "./serve.ts";

const COMMANDS: Command[] = [
  ...[serve, keys, importCommand, exportCommand, sample, backup, restore],
  ...[migrateCommand, copy, openapi, doctor],
];

const HELP = `Usage: npm run -s animal-store -- COMMAND [OPTIONS]

${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(10)}${summary}`).join("\n")}

COMMAND --help explains a command. Settings come from the environment; docs/operating.md lists them.`;

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
/** As shells count: the number of the signal on top of it. */
const EXIT_SIGNAL = 128;

/** Resolves to the exit code. */
export async function runCli(args: string[]): Promise<number> {
  const [name, ...rest] = args;
  const command = COMMANDS.find((each) => each.name === name);
  if (command === undefined) {
    if (name === undefined || name === "--help" || name === "help") {
      print(HELP);
      return name === undefined ? EXIT_USAGE : 0;
    }
    return fail(`There is no command "${name}". --help lists them.`, EXIT_USAGE);
  }
  const isHelp = command.name !== "keys" && rest.includes("--help");
  // The service ends in its own way.
  if (command !== serve || isHelp) {
    endCleanly();
    endWithReader();
  }
  try {
    if (isHelp) print(command.help);
    else await command.run(rest);
    return 0;
  } catch (error) {
    return explain(error, command.name);
  }
}

/** A command that is told to end leaves no half of a file behind. */
function endCleanly(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      const exit = () => process.exit(EXIT_SIGNAL + constants.signals[signal]);
      void removeTemporaryFiles().finally(exit);
    });
  }
}

function explain(error: unknown, command: string): number {
  if (error instanceof UsageError) {
    return fail(`${error.message} See: npm run -s animal-store -- ${command} --help`, EXIT_USAGE);
  }
  if (error instanceof ServiceError) return fail(serviceFault(error), EXIT_FAILED);
  const isExpected = error instanceof OperatorError || isFileFault(error);
  return fail(isExpected ? error.message : String((error as Error)?.stack ?? error), EXIT_FAILED);
}

/** No such place, no right to it, no room there: the message of the system says it all. */
function isFileFault(error: unknown): error is Error {
  return (
    error instanceof Error && /^(ENOENT|EACCES|EPERM|EROFS|EISDIR|ENOTDIR|ENOSPC|EDQUOT):/.test(error.message)
  );
}

function serviceFault({ code, message, cause }: ServiceError): string {
  if (code !== "unavailable") return message;
  const reason = cause instanceof Error ? cause.message : "the database does not answer";
  return `The database cannot be used: ${reason}. See what to mend: npm run -s animal-store -- doctor`;
}

function fail(message: string, exitCode: number): number {
  printNote(message);
  return exitCode;
}
