// The guide pages of the reference: how things are done that take more than one operation.

import { GET_PET_SUNSET_DAY } from "../domain/deprecation.ts";
import { IDEMPOTENCY_KEPT_MS } from "../domain/idempotency.ts";
import { BAN_FIRST_MS, BAN_MAX_MS } from "../domain/keys/limits.ts";
import { PLANS } from "../domain/keys/plan.ts";
import { ORDER_TRANSITIONS } from "../domain/order.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../domain/page.ts";
import { PET_TRANSITIONS } from "../domain/pet.ts";
import { formatDuration } from "../domain/time.ts";
import { describeTransitions } from "../domain/transition.ts";

export interface Guide {
  id: string;
  title: string;
  /** Paragraphs with `code` in them, and whole blocks of code. */
  parts: Array<string | { code: string }>;
}

/** `base` is the address that includes /v1. */
export function describeGuides(base: string): Guide[] {
  const get = (path: string) => `curl -i -H "Authorization: Bearer $KEY" "${base}${path}"`;
  const send = (method: string, path: string, body: object, header = "") =>
    `curl -X ${method} -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" ${header}\\\n  -d '${JSON.stringify(body)}' ${base}${path}`;

  return [
    {
      id: "first-request",
      title: "First request",
      parts: [
        "Every request carries an API key as a bearer token. Who runs the service has the first one, and makes others with `keys create`.",
        { code: `KEY=ask_live_…\n${get("/pets?status=available")}` },
        "The answer is a JSON array of animals. Add one:",
        { code: send("POST", "/pets", { name: "Rex", categoryId: 3 }) },
        `Identifiers are 64-bit integers. Languages whose numbers are doubles are exact up to ${Number.MAX_SAFE_INTEGER}; the client package \`@animal-store/client\` keeps larger ones exact too.`,
      ],
    },
    {
      id: "paging",
      title: "Paging",
      parts: [
        `A list gives ${PAGE_LIMIT_DEFAULT} items, or as many as \`limit\` says, up to ${PAGE_LIMIT_MAX}. Where there is more, the \`Link\` header has the address of the next page: follow \`rel="next"\` until there is none.`,
        { code: get("/pets?limit=2") },
        "Pages go by identifier: whatever is added or deleted meanwhile, nothing is skipped and nothing comes twice. A `cursor` belongs to its list and filter; with others it is `invalid_cursor`.",
        "Lists have an `ETag`. Send it back in `If-None-Match`, and an unchanged page is a 304 without a body.",
      ],
    },
    {
      id: "errors-and-retries",
      title: "Errors and retries",
      parts: [
        "Every failure is `{code, message, status}`. Decide by `code`, which is from the closed list below; `message` is for people and names every fault at once.",
        "Try again after 408, 429 and 503: for as long as `Retry-After` says, and where it says nothing for 0.2 s, then 0.4 s, 0.8 s and so on, with some chance in it so that not all clients come back at once. Repeat a POST only with an `Idempotency-Key`. Everything else must be changed first.",
        "`X-Request-Id` names the exchange in the service's log. Send one of your own to find it again on both sides.",
      ],
    },
    {
      id: "limits-and-bans",
      title: "Limits and bans",
      parts: [
        `A key has a budget per minute and one per day; on the free plan ${PLANS.free.perMinute} and ${PLANS.free.perDay.toLocaleString("en")}. \`X-RateLimit-Remaining\` tells what is left in the tighter of them, \`RateLimit\` what is left in both. \`GET /usage\` costs nothing and tells the same.`,
        { code: get("/usage") },
        `A request over the limit gets a 429 and is charged to neither window. A key that keeps sending gets \`key_banned\`: banned for ${formatDuration(BAN_FIRST_MS)}, twice as long each further time, up to ${formatDuration(BAN_MAX_MS)}. Requests during a ban do not extend it.`,
      ],
    },
    {
      id: "idempotency",
      title: "Idempotency",
      parts: [
        "An answer can get lost although the work was done. Give every POST an `Idempotency-Key` that you make up before the first attempt and keep for the next:",
        { code: send("POST", "/pets", { name: "Rex", categoryId: 3 }, '-H "Idempotency-Key: 7f9c…" ') },
        `The same request again within ${formatDuration(IDEMPOTENCY_KEPT_MS)} gets the first answer again, byte for byte, with \`Idempotent-Replayed: true\`, and its work is done once. Another body under the same key is \`idempotency_key_reused\`; while the first attempt still runs it is \`idempotency_in_progress\`. Only work that was done is remembered: a refused request may be corrected and sent again under its key.`,
      ],
    },
    {
      id: "keys-and-access",
      title: "Keys and access",
      parts: [
        "A key has one of four levels, each including those before: `browse` reads animals and categories, `adopt` places and cancels its own orders, `manage` changes animals, categories and all orders, `admin` issues keys. Too little access is a 403 that names the level needed.",
        "The key itself is shown once, when it is issued. Rotating gives a new one at once, while the old one works for a grace time; revoking ends it with the next request.",
        { code: send("POST", "/keys", { name: "Website", plan: "free", access: "browse" }) },
      ],
    },
    {
      id: "adoption",
      title: "Adoption",
      parts: [
        "An order reserves one animal, which is `pending` from then on. Of many who order it at once exactly one succeeds; the others get `pet_not_available`.",
        {
          code: send(
            "POST",
            "/store/orders",
            { petId: 1, reference: "case 4711" },
            '-H "Idempotency-Key: case-4711" ',
          ),
        },
        `An order moves ${describeTransitions(ORDER_TRANSITIONS)}. \`delivered\` makes the animal sold; \`cancelled\` and \`returned\` make it available again. An order that nobody approves before its \`expiresAt\` expires, and the animal is available again.`,
        { code: send("PATCH", "/store/orders/1", { status: "approved" }) },
        `Without an order, an animal moves ${describeTransitions(PET_TRANSITIONS)} by \`PATCH /pets/{petId}\`. \`GET /pets/{petId}/history\` tells all that has happened to it.`,
      ],
    },
    {
      id: "deprecation",
      title: "Deprecation",
      parts: [
        `\`GET /pets/{petId}\` is deprecated and will be removed on ${GET_PET_SUNSET_DAY}; its responses say so in \`Deprecation\` and \`Sunset\`. Use \`GET /pets\` with a \`status\` filter instead.`,
      ],
    },
  ];
}
