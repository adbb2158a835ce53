// Commands of the program in one process beside each test process. A new process for each command costs 0.2 s of CPU.

import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export type Environment = Record<string, string>;

/** Environment of every program that a test starts: a developer's .env must not change the result. */
export const NO_ENV_FILE = { ENV_FILE: "/dev/null" };

/** Environment of a new process. With the shared cache of compiled code, its start takes 10 % less CPU time. */
export function environmentOf(own: Environment): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE, ...NO_ENV_FILE, ...own };
}

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

let host: ChildProcess | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Tests the command's result. Commands run one after another; `runCommand` is for a test of the process: its
 * exit, its standard input, two commands at the same time.
 */
export function runInHost(args: string[], environment: Environment = {}): Promise<CommandResult> {
  const result = last.then(() => askHost(args, environment));
  last = result.catch(() => {});
  return result;
}

/** The commands of one operator, in the environment of a store. */
export function commandsIn(environment: Environment) {
  const command = (...args: string[]) => runInHost(args, environment);

  /** Runs a command that must succeed. */
  async function readOutput(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await command(...args);
    assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  async function readJson(...args: string[]) {
    return JSON.parse(await readOutput(...args, "--json"));
  }

  /** Runs a command that must fail with this message. */
  async function assertRefused(args: string[], says: RegExp | string, code = 1): Promise<CommandResult> {
    const result = await command(...args);
    assert.equal(result.code, code, `${args.join(" ")}: ${result.stderr}`);
    if (typeof says === "string") assert.equal(result.stderr, `animal-store: ${says}\n`);
    else assert.match(result.stderr, says);
    return result;
  }

  return { command, readOutput, readJson, assertRefused };
}

async function askHost(args: string[], environment: Environment): Promise<CommandResult> {
  host ??= startHost();
  const { channel } = host;
  channel?.ref();
  const ended = new AbortController();
  const replied = once(host, "message", ended) as Promise<[CommandResult]>;
  const failed = once(host, "exit", ended).then(() => {
    throw new Error(`The process of the commands has ended at: ${args.join(" ")}`);
  });
  host.send({ args, environment });
  const [result] = await Promise.race([replied, failed]).finally(() => ended.abort());
  channel?.unref();
  return result;
}

/** Ends with the process of the tests, which does not wait for it. */
function startHost(): ChildProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = fork(join(import.meta.dirname, "command-host.ts"), {
    execArgv: [],
    env: { PATH, NODE_COMPILE_CACHE },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  child.unref();
  child.channel?.unref();
  return child;
}
