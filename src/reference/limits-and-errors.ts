// The chapters of the reference about limits and errors.

import { ERRORS } from "../domain/basics/errors.ts";
import { formatDuration } from "../domain/basics/time.ts";
import {
  BAN_AFTER_REFUSALS,
  BAN_GRACE_MS,
  BAN_MAX_MS,
  BAN_MEMORY_MS,
  BAN_MS,
  BAN_WINDOW_MS,
} from "../domain/keys/admission.ts";
import { PLANS } from "../domain/keys/plan.ts";
import { type Chapter, text } from "./blocks.ts";

const LIMITS = `Every key has two windows, one of a minute and one of a day. Each begins with the first request that it counts.
A request that one window refuses is charged to neither; \`Retry-After\` says how long to wait. More refusals within
${formatDuration(BAN_WINDOW_MS)} than the plan has requests per minute, and more than ${BAN_AFTER_REFUSALS}, ban the key for
${formatDuration(BAN_MS)}. Each further ban within ${formatDuration(BAN_MEMORY_MS)} lasts twice as long, up to
${formatDuration(BAN_MAX_MS)}. Refusals within ${formatDuration(BAN_GRACE_MS)} of the first refusal of a window do not
count. During a ban \`Retry-After\` gives its end. Requests without a valid key are counted per client address:
${PLANS.free.perMinute} per minute.`;

export function describeLimits(): Chapter {
  const rows = Object.entries(PLANS).map(([plan, { perMinute, perDay }]) => {
    const own = plan === "enterprise" ? " unless the key has its own" : "";
    const format = (count: number) => `${count.toLocaleString("en")}${own}`;
    return { cells: [plan, format(perMinute), format(perDay)] };
  });
  return {
    id: "limits",
    title: "Limits",
    sections: [],
    blocks: [
      text(LIMITS),
      { kind: "table", head: ["Plan", "Requests per minute", "Requests per day"], rows },
    ],
  };
}

export function describeErrors(): Chapter {
  const rows = Object.entries(ERRORS).map(([code, { status, message }]) => ({
    id: `error-${code}`,
    cells: [`\`${code}\``, String(status), message],
  }));
  return {
    id: "errors",
    title: "Errors",
    sections: [],
    blocks: [
      text('The body is always `{"code", "message", "status"}`. There are no other codes.'),
      { kind: "table", head: ["Code", "Status", "Meaning"], rows },
    ],
  };
}
