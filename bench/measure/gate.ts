// Measures the gate with different numbers of keys in use, each in a separate process.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { showProgress } from "../progress.ts";
import type { GateKeys } from "../results.ts";
import type { Bench } from "./bench.ts";

const PROGRAM = join(import.meta.dirname, "gate-keys.ts");

export async function measureGate(bench: Bench): Promise<GateKeys[]> {
  const measured: GateKeys[] = [];
  for (const keys of bench.sizes.keys) {
    showProgress(`gate: ${keys} keys in use`);
    const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", PROGRAM, String(keys)]);
    measured.push(JSON.parse(stdout));
  }
  return measured;
}
