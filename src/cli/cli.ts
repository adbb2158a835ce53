// The command line: finds the command, shows help, turns an error into a message and an exit code.

import { loadEnvFile } from "../config/config.ts";
import { ERRORS, ServiceError } from "../domain/basics/errors.ts";
import { removeTemporaryFiles } from "../files/temporary-files.ts";
import { OperatorError } from "../tools/operator-error.ts";
import { COMMAND, locate, VERSION } from "../tools/program.ts";
import { describeUnknownOption, isHelpWord, suggest, UsageError } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { exitWhenOutputCloses, print, printNote } from "./output.ts";
import { endOnSignal } from "./signals.ts";

const HELP = `Usage: ${COMMAND} COMMAND [OPTIONS]

${Object.entries(COMMANDS)
  .map(([name, [summary]]) => `  ${name.padEnd(10)}${summary}`)
  .join("\n")}

COMMAND --help (or -h) explains a command, --version (or -v) prints the version.

Settings are environment variables, or lines NAME=value in a file .env in the working folder; the environment wins over
the file. The most important ones are HOST, PORT, DATABASE_URL and PUBLIC_URL. "settings" prints all of them with their
values, and "settings --help" explains them.

Documentation: ${locate("docs/operating.md")}
Files for systemd, proxies and monitoring: ${locate("deploy")}`;

/** Errors of the operating system, whose message names the file and the reason. */
const FILE_ERROR = /^(ENOENT|EACCES|EPERM|EROFS|EISDIR|ENOTDIR|ENOSPC|EDQUOT):/;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** Resolves to the exit code. */
export async function runCli(args: string[]): Promise<number> {
  const [name = "", ...rest] = args;
  const [, load] = (Object.hasOwn(COMMANDS, name) && COMMANDS[name]) || [];
  if (load === undefined) return runWithoutCommand(args[0]);
  const hasSubcommands = name === "keys" || name === "shelters" || name === "webhooks";
  const isHelpAsked = rest.some(isHelpWord);
  const isHelp = !hasSubcommands && isHelpAsked;
  // The service handles signals and closed output itself.
  if (name !== "serve" || isHelp) {
    endOnSignal(removeTemporaryFiles);
    exitWhenOutputCloses();
  }
  try {
    if (!isHelpAsked) loadEnvFile();
    const { command } = await load();
    if (isHelp) print(command.help);
    else await command.run(rest);
    return 0;
  } catch (error) {
    return reportError(error, name);
  }
}

function runWithoutCommand(word: string | undefined): number {
  if (word === "--version" || word === "-v" || word === "version") {
    print(`animal-store ${VERSION}`);
    return 0;
  }
  if (word === undefined || isHelpWord(word) || word === "help") {
    print(HELP);
    return word === undefined ? EXIT_USAGE : 0;
  }
  // `animal-store --port 80` is the service with an option, but settings are variables.
  const refusal = word.startsWith("-")
    ? describeUnknownOption(word, [])
    : `There is no command "${word}".${suggest(word, Object.keys(COMMANDS))}`;
  return fail(`${refusal} --help lists the commands.`, EXIT_USAGE);
}

function reportError(error: unknown, command: string): number {
  if (error instanceof UsageError) {
    return fail(`${error.message} See: ${COMMAND} ${command} --help`, EXIT_USAGE);
  }
  if (error instanceof ServiceError) return fail(describeServiceError(error), EXIT_FAILED);
  const { message = "", stack } = error instanceof Error ? error : {};
  const isExpected = error instanceof OperatorError || FILE_ERROR.test(message);
  return fail(isExpected ? message : (stack ?? String(error)), EXIT_FAILED);
}

function describeServiceError({ code, message, cause }: ServiceError): string {
  if (code === "key_not_found") return `${message} List the keys: ${COMMAND} keys list`;
  if (code === "shelter_not_found") return `${message} List them: ${COMMAND} shelters list`;
  if (code === "shelter_in_use" && message === ERRORS.shelter_in_use.message)
    return `${message} "export" shows the shelter of each animal, "keys list" shows the shelter of each key.`;
  if (code === "webhook_not_found") return `${message} List them: ${COMMAND} webhooks list`;
  if (code !== "unavailable") return message;
  const reason = cause instanceof Error ? cause.message : "the database does not answer";
  // Another message, such as of a missing WEBHOOK_SECRET_KEY, says what to do.
  if (message !== ERRORS.unavailable.message)
    return cause === undefined ? message : `${message} Cause: ${reason}`;
  return `The database cannot be used: ${reason}. To find out how to fix it, run: ${COMMAND} doctor`;
}

function fail(message: string, exitCode: number): number {
  printNote(message);
  return exitCode;
}
