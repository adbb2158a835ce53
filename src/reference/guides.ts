// The guides of the reference, tasks that take more than one operation: the Markdown files of docs/guides/ in the order of their names.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PET_TRANSITIONS } from "../domain/animals/pet.ts";
import { FILE_READS_PER_MINUTE } from "../domain/animals/photo-limits.ts";
import { GET_PET_SUNSET_DAY } from "../domain/basics/deprecation.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../domain/basics/list-limits.ts";
import { STREAM_PENDING_BYTES_MAX, STREAMS_PER_KEY } from "../domain/basics/request-limits.ts";
import { formatDuration } from "../domain/basics/time.ts";
import { describeTransitions } from "../domain/basics/transition.ts";
import { IDEMPOTENCY_KEPT_MS } from "../domain/idempotency.ts";
import { BAN_MAX_MS, BAN_MS } from "../domain/keys/admission.ts";
import { PLANS, VISITOR_PER_MINUTE_MAX } from "../domain/keys/plan.ts";
import { ORDER_TRANSITIONS } from "../domain/orders/order.ts";
import { PAGE_READS_PER_MINUTE } from "../domain/site/site-limits.ts";
import { ATTEMPT_WAITS_MS } from "../domain/webhooks/attempt-schedule.ts";
import { ATTEMPT_MS } from "../domain/webhooks/attempt-timeouts.ts";
import { DISABLED_AFTER_DAYS, OLD_SECRET_SIGNS_MS } from "../domain/webhooks/webhook-limits.ts";
import { type Block, type CodeLanguage, type Section, text } from "./blocks.ts";

const FOLDER = join(import.meta.dirname, "../../docs/guides");

/** The address of the service in the files. */
const FILE_ROOT = "http://127.0.0.1:8080";

/** Replaces {{name}} in the files. */
const VALUES: Record<string, string | number> = {
  pageLimitDefault: PAGE_LIMIT_DEFAULT,
  pageLimitMax: PAGE_LIMIT_MAX,
  freePerMinute: PLANS.free.perMinute,
  freePerDay: PLANS.free.perDay.toLocaleString("en"),
  firstBan: formatDuration(BAN_MS),
  longestBan: formatDuration(BAN_MAX_MS),
  idempotencyKept: formatDuration(IDEMPOTENCY_KEPT_MS),
  orderTransitions: describeTransitions(ORDER_TRANSITIONS),
  petTransitions: describeTransitions(PET_TRANSITIONS),
  visitorPerMinuteMax: VISITOR_PER_MINUTE_MAX,
  pageReadsPerMinute: PAGE_READS_PER_MINUTE,
  photoReadsPerMinute: FILE_READS_PER_MINUTE.toLocaleString("en"),
  streamPendingMiB: STREAM_PENDING_BYTES_MAX / 1024 ** 2,
  streamsPerKey: STREAMS_PER_KEY,
  getPetSunsetDay: GET_PET_SUNSET_DAY,
  webhookAttempt: formatDuration(ATTEMPT_MS),
  webhookRetryWaits: ATTEMPT_WAITS_MS.slice(1).map(formatDuration).join(", "),
  webhookDisabledDays: DISABLED_AFTER_DAYS,
  oldSecretSigns: formatDuration(OLD_SECRET_SIGNS_MS),
};

/** `root` is the address of the service, without `/v1`. */
export function describeGuides(root: string): Section[] {
  return readdirSync(FOLDER)
    .sort()
    .map((name) => {
      const file = fillIn(readFileSync(join(FOLDER, name), "utf8")).replaceAll(FILE_ROOT, root);
      const end = file.indexOf("\n");
      return {
        id: name.slice("01-".length, -".md".length),
        kind: "Guide",
        title: file.slice("# ".length, end),
        blocks: readBlocks(file.slice(end)),
      };
    });
}

function fillIn(file: string): string {
  return file.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    if (VALUES[name] === undefined) throw new Error(`A guide has an unknown value: ${name}`);
    return String(VALUES[name]);
  });
}

/** Guides have paragraphs and fenced code only. */
function readBlocks(markdown: string): Block[] {
  return markdown.split(/^```/m).flatMap((part, index) => {
    if (index % 2 === 1) return readCode(part);
    const paragraphs = part.split("\n\n").map((paragraph) => paragraph.trim().replaceAll("\n", " "));
    return paragraphs.filter((paragraph) => paragraph !== "").map(text);
  });
}

/** HTML is the widget, which the page shows too. */
function readCode(fenced: string): Block[] {
  const [language = "", ...lines] = fenced.trimEnd().split("\n");
  const code: Block = { kind: "code", language: language as CodeLanguage, code: lines.join("\n") };
  return language === "html" ? [code, { kind: "preview" }] : [code];
}
