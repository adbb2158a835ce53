// The real program in its own process, on a free port, with temporary data.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { type Call, createCall } from "../clients/call.ts";
import { type CommandResult, type Environment, environmentOf, runInHost } from "../clients/commands.ts";
import { freshEngines } from "../runner/combination.ts";
import { shareProject } from "./project.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** The flags of `npm start`, so that the tests run the same program. */
const NODE_FLAGS: string[] = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
  .scripts.start.split(" ")
  .filter((word: string) => word.startsWith("--"));

/** The user that a process runs as. */
export interface User {
  uid: number;
  gid: number;
}

/** A service that runs, in this process or in another. */
export interface Node {
  /** The address of the service, without /v1. */
  url: string;
  port: number;
  /** ADMIN_API_KEY or the first key; undefined when the store already had keys. */
  adminKey: string | undefined;
  /** Calls below /v1, with the admin key unless the call names another key. */
  call: Call;
  environment: Environment;
  /** Runs an operator's command on the same store. */
  command(...args: string[]): Promise<CommandResult>;
  /** Through the API; on the Free plan with access manage unless `settings` say otherwise. */
  createKey(settings?: object): Promise<{ id: number; key: string }>;
}

export interface Service extends Node {
  process: ChildProcess;
  output: { stdout: string; stderr: string };
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** The folder of a copy of the project, or the user that runs the project, which needs root. */
type Program = string | User;

/** Uses a new store unless `environment` has a DATABASE_URL. */
export async function startService(
  t: TestContext,
  environment: Environment = {},
  program?: Program,
): Promise<Service> {
  const own: Environment = {
    ...(environment.DATABASE_URL === undefined ? await freshEngines(t) : {}),
    PORT: "0",
    LOG_LEVEL: "warn",
    ...environment,
  };
  const child = spawnMain(["serve"], own, { program });
  t.after(() => end(child));
  const output = collect(child);
  // The address and the key are printed in one write.
  const [, url = ""] = await untilPrinted(child, output, /listens on (http:\S+)/);
  const adminKey = own.ADMIN_API_KEY ?? /Bearer (ask_\w+)/.exec(output.stdout)?.[1];
  return {
    ...createNode(url, own, adminKey),
    process: child,
    output,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      return child.exitCode;
    },
  };
}

export function createNode(url: string, environment: Environment, adminKey: string | undefined): Node {
  const call = createCall(`${url}/v1`, adminKey);
  return {
    url,
    port: Number(new URL(url).port),
    adminKey,
    call,
    environment,
    command: (...args) => runInHost(args, environment),
    async createKey(settings = {}) {
      const answer = await call("POST", "/keys", { body: { name: "test", plan: "free", ...settings } });
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.json;
    },
  };
}

/** Runs the program until it exits; `input` is its standard input. */
export async function runCommand(
  args: string[],
  environment: Environment = {},
  input = "",
  user?: User,
): Promise<CommandResult> {
  return startCommand(args, environment, input, user).ended;
}

/** The same for a test that does something while the program runs. */
export function startCommand(
  args: string[],
  environment: Environment = {},
  input = "",
  user?: User,
): { child: ChildProcess; ended: Promise<CommandResult> } {
  const child = spawnMain(args, environment, { stdin: "pipe", program: user });
  const output = collect(child);
  // A command that does not read its input may have exited before it is written.
  child.stdin?.on("error", () => {}).end(input);
  const ended = once(child, "close").then(([code]) => ({ code, ...output }));
  return { child, ended };
}

/** The last command of `npm start` as words, for a test that starts it through another program. */
export function mainCommand(args: string[], program: Program = ROOT): string[] {
  return [process.execPath, ...NODE_FLAGS, ...wordsOf(program), ...args];
}

function wordsOf(program: Program): string[] {
  if (typeof program === "string") return [join(program, "src/main.ts")];
  const { uid, gid } = program;
  return [join(import.meta.dirname, "as-user.ts"), String(uid), String(gid), shareProject()];
}

function spawnMain(
  args: string[],
  environment: Environment,
  options: { stdin?: "ignore" | "pipe"; program?: Program | undefined } = {},
): ChildProcess {
  const { stdin = "ignore", program } = options;
  const [node = "", ...words] = mainCommand(args, program);
  return spawn(node, words, {
    env: environmentOf(environment),
    stdio: [stdin, "pipe", "pipe"],
  });
}

export function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text) => (output.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text) => (output.stderr += text));
  return output;
}

export async function untilPrinted(
  child: ChildProcess,
  output: { stdout: string; stderr: string },
  pattern: RegExp,
): Promise<RegExpExecArray> {
  for (;;) {
    const match = pattern.exec(output.stdout);
    if (match !== null) return match;
    if (child.exitCode !== null)
      throw new Error(`The service ended with ${child.exitCode}: ${output.stderr}`);
    const ended = new AbortController();
    await Promise.race([
      once(child.stdout as NodeJS.ReadableStream, "data", { signal: ended.signal }),
      once(child, "close", { signal: ended.signal }),
    ]).finally(() => ended.abort());
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
