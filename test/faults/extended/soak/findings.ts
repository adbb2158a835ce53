// Counters and violations of a soak, and the report of them.

import { ERRORS } from "../../../../src/domain/basics/errors.ts";
import type { Answer } from "../../../harness/clients/call.ts";

const VIOLATIONS_MAX = 20;

export interface Findings {
  /** Notes something that must not happen. */
  violate(text: string): void;
  violations: string[];
  /** Counts a response, or undefined if the connection ended without one. An unknown error body is a violation. */
  count(operation: string, answer: Answer | undefined, ms: number): void;
  fault(name: string, recoveryMs: number): void;
  print(write: (line: string) => void): void;
}

export function createFindings(): Findings {
  const violations: string[] = [];
  const outcomes = new Map<string, number>();
  const faults = new Map<string, number[]>();
  const slowest = { operation: "", ms: 0 };
  let requests = 0;

  const findings: Findings = {
    violations,
    violate(text) {
      if (violations.length < VIOLATIONS_MAX) violations.push(text);
    },
    count(operation, answer, ms) {
      requests += 1;
      const outcome = `${operation} ${answer?.status ?? "cut"}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (ms > slowest.ms) Object.assign(slowest, { operation, ms });
      const fault = answer && answer.status >= 400 ? faultOfError(answer) : undefined;
      if (fault !== undefined) findings.violate(`${outcome}: ${fault}: ${answer?.text}`);
    },
    fault(name, recoveryMs) {
      faults.set(name, [...(faults.get(name) ?? []), recoveryMs]);
    },
    print(write) {
      write(`${requests} requests, the slowest ${Math.round(slowest.ms)} ms (${slowest.operation})`);
      write([...outcomes].map(([outcome, count]) => `${outcome}: ${count}`).join(", "));
      for (const [name, recoveries] of faults)
        write(
          `${name}: ${recoveries.length} times, ready after ${Math.round(Math.max(...recoveries))} ms at most`,
        );
    },
  };
  return findings;
}

/** Undefined if the response is an Error body with a known code. */
function faultOfError({ status, headers, text }: Answer): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return "no JSON";
  }
  const { code, message, ...rest } = body as { code: keyof typeof ERRORS; message: unknown; status: unknown };
  if (ERRORS[code]?.status !== status || rest.status !== status) return "another status than its code has";
  if (typeof message !== "string" || Object.keys(rest).length !== 1) return "no Error body";
  if (status === 503 && !/^\d+$/.test(headers["retry-after"] ?? "")) return "no Retry-After";
  return undefined;
}
