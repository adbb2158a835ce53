// Builds the client and packs it into one file for npm.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export async function packClient(targetFile: string): Promise<void> {
  const folder = dirname(targetFile);
  mkdirSync(folder, { recursive: true });
  const own = mkdtempSync(join(folder, "pack-"));
  try {
    const cwd = import.meta.dirname;
    await run("npm", ["run", "build"], { cwd });
    const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", own], {
      cwd,
    });
    const [{ filename }] = JSON.parse(stdout);
    renameSync(join(own, filename), targetFile);
  } finally {
    rmSync(own, { recursive: true });
  }
}
