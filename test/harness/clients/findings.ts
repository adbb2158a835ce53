// The findings of `doctor` by the name of their check. PORT is 0 unless the test sets it, so that no other program matters.

import type { Finding } from "../../../src/cli/doctor/finding.ts";
import { examine } from "../../../src/cli/doctor.ts";
import type { Environment } from "./commands.ts";

export type Findings = Record<string, Finding | undefined>;

export async function findAll(environment: Environment, { deep = false } = {}): Promise<Findings> {
  const findings = await examine({ deep }, { PORT: "0", ...environment });
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]));
}

export async function findOne(environment: Environment, check: string): Promise<Finding> {
  const { [check]: found } = await findAll(environment);
  if (found === undefined) throw new Error(`${check} was not checked`);
  return found;
}
