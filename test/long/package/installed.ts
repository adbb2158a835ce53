// The built package, installed in a temporary folder, and its service as a process.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { type Call, createCall } from "../../harness/clients/call.ts";
import { collect, untilPrinted } from "../../harness/servers/service.ts";

export const ROOT = join(import.meta.dirname, "../../..");
export const run = promisify(execFile);
/** As a user's shell: without the runtime that npm puts first on the path of the tests, and without npm's variables. */
const USER_PATH = (process.env.PATH ?? "")
  .split(":")
  .filter((folder) => !folder.endsWith("node_modules/.bin"))
  .join(":");
/** npm also needs the settings of this machine: registry, proxy, certificates. */
export const NPM_ENVIRONMENT = { ...process.env, PATH: USER_PATH };
export const USER_ENVIRONMENT = { PATH: USER_PATH, HOME: process.env.HOME, PORT: "0" };

/** Set by `npm run faults`: npm installs the package, which needs 100 MB from the registry or from npm's cache. */
export const isInstalledByNpm = process.env.PACKAGE_INSTALL !== undefined;

/** Installs the package in an empty folder. Resolves to the path of its command. */
export async function installPackage(folder: string, tarball: string): Promise<string> {
  if (isInstalledByNpm)
    await run("npm", ["install", "--prefix", folder, tarball], { cwd: folder, env: NPM_ENVIRONMENT });
  else await linkPackage(folder, tarball);
  return join(folder, "node_modules/.bin/animal-store");
}

/** Unpacks the package beside links to the dependencies of the project, and to nothing else. */
async function linkPackage(folder: string, tarball: string): Promise<void> {
  const modules = join(folder, "node_modules");
  for (const name of [".bin", "animal-store"]) mkdirSync(join(modules, name), { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", join(modules, "animal-store"), "--strip-components=1"]);
  const { bin } = readJson(join(modules, "animal-store/package.json"));
  symlinkSync(join("../animal-store", bin["animal-store"]), join(modules, ".bin/animal-store"));
  const { dependencies, optionalDependencies } = readJson(join(ROOT, "package.json"));
  const runtimes = Object.keys(optionalDependencies).filter((name) =>
    existsSync(join(ROOT, "node_modules", name)),
  );
  for (const name of [...Object.keys(dependencies), ...runtimes])
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
}

// biome-ignore lint/suspicious/noExplicitAny: manifests of npm
export function readJson(file: string): any {
  return JSON.parse(readFileSync(file, "utf8"));
}

export interface Installed {
  launcher: ChildProcess;
  output: { stdout: string; stderr: string };
  url: string;
  call: Call;
  /** Resolves to exit code and signal when the launcher has ended. */
  ended: Promise<[number | null, NodeJS.Signals | null]>;
}

/** Starts the service and waits until it listens. It leads a process group of its own, as in a terminal. */
export async function startInstalled(
  t: TestContext,
  words: string[],
  options: { cwd: string; environment?: NodeJS.ProcessEnv },
): Promise<Installed> {
  const [program = "", ...args] = words;
  const launcher = spawn(program, args, {
    cwd: options.cwd,
    env: { ...USER_ENVIRONMENT, ...options.environment },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const ended = new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    // The pipes close when the service has ended too.
    launcher.once("close", (code, signal) => resolve([code, signal]));
  });
  t.after(() => {
    if (launcher.exitCode === null && launcher.signalCode === null)
      process.kill(-(launcher.pid as number), "SIGKILL");
  });
  const output = collect(launcher);
  const [, url = ""] = await untilPrinted(launcher, output, /listens on (http:\S+)/);
  const [, key] = /Bearer (ask_\w+)/.exec(output.stdout) ?? [];
  return { launcher, output, url, call: createCall(`${url}/v1`, key), ended };
}
