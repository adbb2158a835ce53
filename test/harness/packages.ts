// Programs that the tests need besides npm's: found, or installed from Debian's packages where that is allowed.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

export interface Program {
  /** The variable that names its place. */
  variable: string;
  places: string[];
  package: string;
}

/** Throws one line that says what to install or set. */
export function findProgram({ variable, places, package: name }: Program): string {
  const given = process.env[variable];
  const find = () => [given ?? "", ...places].find((place) => place !== "" && existsSync(place));
  const found = find() ?? (install(name) ? find() : undefined);
  if (found === undefined)
    throw new Error(`The tests need ${name}: install it, or set ${variable} to its path.`);
  return found;
}

function install(name: string): boolean {
  try {
    // RUNLEVEL keeps Debian from starting the servers that it installs: the tests start their own.
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
    execFileSync("apt-get", ["update"], { stdio: "ignore", env });
    execFileSync("apt-get", ["install", "--yes", "--no-install-recommends", name], { stdio: "ignore", env });
    return true;
  } catch {
    return false;
  }
}
