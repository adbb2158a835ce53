// Finds or installs wrk and the packages of the peers.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const HERE = import.meta.dirname;
const WRK_PLACES = ["/usr/bin/wrk", "/usr/local/bin/wrk"];

/** Throws an error that says what to install or set. */
export function findWrk(): string {
  const find = () =>
    [process.env.WRK ?? "", ...WRK_PLACES].find((place) => place !== "" && existsSync(place));
  const found = find() ?? (installPackage("wrk") ? find() : undefined);
  if (found === undefined) throw new Error("The benchmarks need wrk: install it, or set WRK to its path.");
  return found;
}

export function installPeers(): void {
  if (arePeersInstalled()) return;
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel", "error"], {
    cwd: HERE,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** In the versions of package.json: they may have changed since the last run. */
function arePeersInstalled(): boolean {
  const read = (path: string) => JSON.parse(readFileSync(join(HERE, path, "package.json"), "utf8"));
  const { dependencies } = read(".");
  return Object.entries(dependencies).every(([name, version]) => {
    const path = join("node_modules", name);
    return existsSync(join(HERE, path)) && read(path).version === version;
  });
}

function installPackage(name: string): boolean {
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    execFileSync("apt-get", ["update"], { stdio: "ignore", env });
    execFileSync("apt-get", ["install", "--yes", "--no-install-recommends", name], { stdio: "ignore", env });
    return true;
  } catch {
    return false;
  }
}
