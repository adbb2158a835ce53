// The findings of `doctor` by the name of their check. PORT is 0 unless the test sets it, so that no other program matters.

import assert from "node:assert/strict";
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

/** A text must be equal; a pattern must match. */
export function assertFinding(
  found: Finding | undefined,
  result: Finding["result"],
  detail: RegExp | string,
  mend: RegExp | string = result === "ok" ? "" : /./,
): void {
  assert.equal(found?.result, result, `${found?.check}: ${found?.detail}`);
  assertText(found?.detail, detail);
  assertText(found?.mend, mend);
}

function assertText(found: string | undefined, expected: RegExp | string): void {
  if (typeof expected === "string") assert.equal(found, expected);
  else assert.match(found ?? "", expected);
}
