// The guides of the reference: tasks that take more than one operation.

import { PET_TRANSITIONS } from "../domain/animals/pet.ts";
import { PHOTO_READS_PER_MINUTE } from "../domain/animals/photo-limits.ts";
import { GET_PET_SUNSET_DAY } from "../domain/basics/deprecation.ts";
import { IDEMPOTENCY_KEPT_MS } from "../domain/basics/idempotency.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../domain/basics/list-limits.ts";
import { STREAM_PENDING_BYTES_MAX, STREAMS_PER_KEY } from "../domain/basics/request-limits.ts";
import { formatDuration } from "../domain/basics/time.ts";
import { describeTransitions } from "../domain/basics/transition.ts";
import { BAN_MAX_MS, BAN_MS } from "../domain/keys/limits.ts";
import { PLANS } from "../domain/keys/plan.ts";
import { ORDER_TRANSITIONS } from "../domain/orders/order.ts";
import {
  ATTEMPT_MS,
  ATTEMPT_WAITS_MS,
  DISABLED_AFTER_DAYS,
  OLD_SECRET_SIGNS_MS,
} from "../domain/webhooks/webhook-limits.ts";
import type { CodeLanguage } from "./blocks.ts";
import {
  clientProgram,
  eventsProgram,
  pageProgram,
  pagingProgram,
  pythonEvents,
  pythonProgram,
  pythonVerification,
  receiverProgram,
  relayProgram,
  streamProgram,
  websiteProgram,
} from "./guide-programs.ts";
import { KEY_PLACEHOLDER } from "./samples/request.ts";

export interface Guide {
  id: string;
  title: string;
  /** Paragraphs, which may contain `code`, and code blocks: commands of a shell unless `language` is given. */
  parts: Array<string | { code: string; language?: CodeLanguage }>;
}

/** `base` is the address of /v1. */
export function describeGuides(base: string): Guide[] {
  const get = (path: string) => `curl -i -H "Authorization: Bearer $KEY" "${base}${path}"`;
  const send = (method: string, path: string, body: object, header = "") =>
    `curl -X ${method} -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" ${header}\\\n  -d '${JSON.stringify(body)}' ${base}${path}`;

  return [
    {
      id: "first-request",
      title: "First request",
      parts: [
        "Every request needs an API key as a bearer token. The operator of the service has the first key and creates others in the console, or with `keys create`. Enter yours at the top of `/docs`, and the code of the page contains it.",
        { code: `KEY=${KEY_PLACEHOLDER}\n${get("/pets?status=available")}` },
        "The response is a JSON array of animals. Add one:",
        { code: send("POST", "/pets", { name: "Rex", categoryId: 3 }) },
        `Identifiers are 64-bit integers. Languages whose numbers are doubles are exact up to ${Number.MAX_SAFE_INTEGER}; the typed client keeps larger ones exact too.`,
      ],
    },
    {
      id: "typed-client",
      title: "Typed client",
      parts: [
        "This service offers the JavaScript and TypeScript client of its own version as an npm package, for browsers, Node, Deno and Bun. It reads all pages, retries, and keeps identifiers exact.",
        { code: `npm install ${base.replace(/\/v1$/, "")}/client.tgz` },
        "Save this program as `list.mjs` and run it with `node list.mjs`. It reads all pages. The README of the package describes everything else.",
        { code: clientProgram(base), language: "js" },
      ],
    },
    {
      id: "python",
      title: "Python",
      parts: [
        "Python needs no package: this program uses the standard library. Save it as `list.py` and run it with `python3 list.py`. It adds an animal, and lists all available animals.",
        { code: pythonProgram(base), language: "python" },
        "`call` returns the body of the response, or ends the program with the message of the error. A request over the limit (429) is not executed: the program sends it again after the time of `Retry-After`, which can be a day for the budget of the day. Every operation below has a sample for Python too.",
        "The next page of events is on every page, also on an empty one, so that `read_all` never ends there. Add these lines to print every change, from the oldest event that is kept; with `/events?after=now&wait=25` only later ones:",
        { code: pythonEvents(), language: "python" },
      ],
    },
    {
      id: "paging",
      title: "Paging",
      parts: [
        `A list returns ${PAGE_LIMIT_DEFAULT} items, or as many as \`limit\` says, up to ${PAGE_LIMIT_MAX}. If there are more, the \`Link\` header has the address of the next page: follow \`rel="next"\` until it is absent.`,
        { code: get("/pets?limit=2") },
        "This JavaScript program reads all pages without the typed client:",
        { code: pagingProgram(base), language: "js" },
        "Pages are ordered by identifier: no item is skipped or returned twice, even if items are added or deleted meanwhile. A `cursor` is valid only for its list and filter; elsewhere it gets `invalid_cursor`.",
        "Lists have an `ETag`. Send it in `If-None-Match` to get a 304 without a body for an unchanged page.",
      ],
    },
    {
      id: "errors-and-retries",
      title: "Errors and retries",
      parts: [
        "Every error body is `{code, message, status}`. Programs decide by `code`, which is one of the list below; `message` is for people and says what to change.",
        "Retry after 408, 429 and 503. Wait as long as `Retry-After` says; without it wait 0.2 s, then 0.4 s, 0.8 s and so on, with random jitter so that clients do not retry at the same time. Repeat a POST only with an `Idempotency-Key`. After any other error, change the request first.",
        "`X-Request-Id` identifies the request in the log of the service. Send your own id to find the request in both logs.",
      ],
    },
    {
      id: "limits-and-bans",
      title: "Limits and bans",
      parts: [
        `A key has a budget per minute and a budget per day; on the free plan ${PLANS.free.perMinute} and ${PLANS.free.perDay.toLocaleString("en")}. \`X-RateLimit-Remaining\` is what remains of the budget that is closer to its end, \`RateLimit\` what remains of both. \`GET /usage\` returns the same and is not counted.`,
        { code: get("/usage") },
        `A request over the limit gets a 429 and is charged to neither window. A key that keeps sending gets \`key_banned\`: banned for ${formatDuration(BAN_MS)}, twice as long each further time, up to ${formatDuration(BAN_MAX_MS)}. Requests during a ban do not extend it.`,
      ],
    },
    {
      id: "idempotency",
      title: "Idempotency",
      parts: [
        "A response can get lost after the request was executed. Send every POST with an `Idempotency-Key` that you create before the first attempt and use again for the next:",
        { code: send("POST", "/pets", { name: "Rex", categoryId: 3 }, '-H "Idempotency-Key: 7f9c2b54" ') },
        `The same request again within ${formatDuration(IDEMPOTENCY_KEPT_MS)} gets the first response again, byte for byte, with \`Idempotent-Replayed: true\`, and is executed only once. Another body with the same key gets \`idempotency_key_reused\`; a repetition while the first attempt still runs gets \`idempotency_in_progress\`. Only successful requests are kept: a rejected request may be corrected and sent again with its key.`,
      ],
    },
    {
      id: "conditional-changes",
      title: "Change without overwriting others",
      parts: [
        "Between your reading and your change, somebody else may change the same animal or order. The response that you read has an `ETag`:",
        { code: get("/store/orders/1") },
        "Send it in `If-Match` with the `PATCH` or `DELETE`:",
        { code: send("PATCH", "/store/orders/1", { status: "approved" }, `-H 'If-Match: "2jmj7l…"' `) },
        'If nothing has changed since, the change is made, and the response of a `PATCH` has the new `ETag`. Otherwise the response is a 412 with `precondition_failed`, and nothing is changed: read again, and then decide. Of several clients with the same `ETag`, one succeeds. For an animal, use the `ETag` of `GET /listings/{petId}`; it also changes with profile and photos. `If-Match: *` stands for any state. A weak ETag (`W/"…"`) never matches; some proxies make ETags weak when they compress responses.',
      ],
    },
    {
      id: "keys-and-access",
      title: "Keys and access",
      parts: [
        "A key has one of four access levels, each including those before: `browse` reads animals, listings, categories and their events; `adopt` places orders, and reads and cancels its own; `manage` changes animals, photos, categories and all orders, reads histories and has webhooks of its own; `admin` manages keys and all webhooks, and reads traffic, metrics and the audit log. If the level is too low, the response is a 403 that names the level needed.",
        "The secret key is shown once, when it is created. A rotation returns a new secret; the old one works for a grace period. A revocation takes effect with the next request. `GET /audit` lists who changed which key, newest first.",
        { code: send("POST", "/keys", { name: "Website", plan: "free", access: "browse" }) },
      ],
    },
    {
      id: "adoption",
      title: "Adoption",
      parts: [
        "An order reserves one animal, which becomes `pending`. If several clients order it at the same time, exactly one succeeds; the others get `pet_not_available`.",
        {
          code: send(
            "POST",
            "/store/orders",
            { petId: 1, reference: "case 4711" },
            '-H "Idempotency-Key: case-4711" ',
          ),
        },
        `Status transitions of an order: ${describeTransitions(ORDER_TRANSITIONS)}. \`delivered\` makes the animal sold; \`cancelled\` and \`returned\` make it available again. An order that is not approved before its \`expiresAt\` expires, and the animal becomes available again.`,
        { code: send("PATCH", "/store/orders/1", { status: "approved" }) },
        "A list of orders can contain their animals, and start with the newest order:",
        { code: get("/store/orders?status=placed&expand=pet&sort=newest") },
        `Without an open order, \`PATCH /pets/{petId}\` changes the status of an animal: ${describeTransitions(PET_TRANSITIONS)}. \`GET /pets/{petId}/history\` lists all its changes.`,
      ],
    },
    {
      id: "website",
      title: "Show your animals on your website",
      parts: [
        "A listing is an animal with its profile and photos. Create a key with access `browse` for your website, and ask for the animals on your server: in a page, all visitors would share the limits of the key. This lists the available dogs, newest first:",
        { code: get("/listings?species=dog&limit=12") },
        "The filters are in the reference of `listListings`; `countListings` takes the same, and returns how many animals there are. `description` is plain text: escape it, and show its line feeds. `ageGroup` follows from the date of birth, and changes without any change of the animal.",
        "The first of `photos` is the cover. `urls` has the same picture in several widths, none larger than the original: let the browser choose with `srcset`. The picture behind an address never changes, so that browsers keep it for a year.",
        `Photos need no key: they are charged to the address of the visitor, ${PHOTO_READS_PER_MINUTE.toLocaleString("en")} a minute, and a visitor whose browser has them asks for none. Many visitors behind one address may need more: put a CDN or a caching proxy in front of \`/photos/\`, which asks for each file once, or copy the files to your own server.`,
        "A page of its own for an animal reads one listing, in any status: show `pending` and `sold` animals as such, because people come back to the address. 404 `pet_not_found` means that the animal was deleted.",
        { code: get("/listings/1") },
        "Keep what you have read, and ask again with its `ETag`: an unchanged page is a 304 without a body.",
        {
          code: `curl -i -H "Authorization: Bearer $KEY" -H 'If-None-Match: "2jmj7l…"' "${base}/listings?limit=12"`,
        },
        "Or keep a copy that is always up to date, and ask for nothing that has not changed. This program prints the list of available animals as HTML, again after every change; an animal that is adopted or deleted disappears. Events of animals do not have the profile, so it reads a changed animal again: the list leaves out what is no longer available.",
        { code: websiteProgram(base), language: "js" },
      ],
    },
    {
      id: "follow-changes",
      title: "Follow changes",
      parts: [
        "Every change of animals, orders, category names and listings is an event with the complete new state. Three requests make a copy that stays up to date. First get a cursor for the end of the feed, from the `next` link of the response:",
        { code: get("/events?after=now") },
        "Then read the lists that you need. Then follow the `next` link: it is on every page, also on an empty one. With `wait`, the response comes as soon as there is an event, or after that many seconds. An event may describe a state that you have read already; store it again.",
        { code: get("/events?after=CURSOR&wait=25&type=pet.*") },
        "This JavaScript program prints all changes:",
        { code: eventsProgram(base), language: "js" },
        `\`GET /events/stream\` sends the same events as server-sent events as soon as they happen, and is charged once. Connect again when it ends, with the last \`id\` in \`Last-Event-ID\`: nothing is missed and nothing comes twice. Read it without pauses: a client that lets ${STREAM_PENDING_BYTES_MAX / 1024 ** 2} MiB of new events wait is disconnected.`,
        { code: `curl -N -H "Authorization: Bearer $KEY" "${base}/events/stream?after=now"` },
        "`EventSource`, which browsers have for such streams, cannot send a key: it sets no headers, and the service takes no key from an address. Two ways work. The typed client reads the stream with `fetch`, in browsers too, and connects again by itself:",
        { code: streamProgram(base), language: "js" },
        `But a key in a page is public. A program on your own server can follow the changes for all pages; they need no key then, and it uses one of the ${STREAMS_PER_KEY} streams of its key. Save this relay as \`relay.mjs\`, and let your web server pass \`/changes\` on to it:`,
        { code: relayProgram(base), language: "js" },
        "In the page, `EventSource` connects to the relay, and again when the connection is lost. Events have their type as name, so `onmessage` is never called. A page that was away has missed events, so it reads the lists again at every `open`:",
        { code: pageProgram(), language: "js" },
        "410 `feed_reset` means that the events behind your cursor are not available: the store was restored or copied, or your cursor is older than the events that are kept. Begin again with the first step. Animals that are older than the change history have no event until they change; the lists have them.",
      ],
    },
    {
      id: "replace-get-pet",
      title: "Replace polling of getPet",
      parts: [
        `Programs that call \`GET /pets/{petId}\` again and again to notice a change can wait for it instead, also after ${GET_PET_SUNSET_DAY}. Get a cursor with \`after=now\`, look at the animal once in \`GET /pets\`, and wait for its events:`,
        { code: get("/events?after=CURSOR&petId=1&wait=25") },
        "The response comes when the animal or one of its orders changes, with the new state in `data.pet` or `data.order`. `pet.deleted` says that the animal is gone. One waiting request replaces 25 requests of a program that asks every second, and one stream without `petId` replaces all of them.",
        "A server with an address of its own need not wait at all: a webhook sends it every change (see below).",
      ],
    },
    {
      id: "webhooks",
      title: "Receive and verify webhooks",
      parts: [
        "Instead of asking for changes, let the service send them to you: create a webhook with a key that has access `manage`. The response contains the secret, once.",
        {
          code: send("POST", "/webhooks", { url: "https://hooks.example.net/animals", types: ["pet.*"] }),
        },
        "Every request is signed as in Standard Webhooks 1.0.0, so that their libraries verify it. This program needs only the typed client. Verify the bytes as they arrived, before you parse them:",
        { code: receiverProgram(), language: "js" },
        "Without a library: the signed text is `id.timestamp.body`, from the headers `webhook-id` and `webhook-timestamp` and the bytes of the body, joined by dots. The key is the part of the secret behind `whsec_`, decoded from base64. The signature is `v1,` and the base64 of the HMAC-SHA256. `webhook-signature` may have several, separated by spaces: one of them must match, compared in constant time. Refuse a timestamp that is more than 5 minutes away from your clock: somebody may have recorded the request. In Python, where `headers` are those of `http.server`, Flask or Django, and `body` is bytes:",
        { code: pythonVerification(), language: "python" },
        `Answer 2xx within ${formatDuration(ATTEMPT_MS)}, and do longer work afterwards: a receiver that needs 2 s or more gets one event at a time. Any other answer is a failure, and the event is sent again, each time later: after ${ATTEMPT_WAITS_MS.slice(1).map(formatDuration).join(", ")}.`,
        "An event may arrive twice: remember the `webhook-id` of what you have handled. Events may arrive in another order: of two events about the same animal, the one with the higher `number` has the newer state. Each has the complete state, so nothing needs to be requested.",
        `Answer 410 to end the webhook. After ${DISABLED_AFTER_DAYS} days with only failures it is disabled too. Nothing is lost: \`PATCH\` it with \`status\` \`enabled\`, and it continues where it stopped.`,
        "Send a test event, see what was delivered, and send something again:",
        {
          code: `${send("POST", "/webhooks/1/test", {})}\n${get("/webhooks/1/deliveries?status=failed")}\n${send("POST", "/webhooks/1/replay", { deliveryId: 7 })}`,
        },
        `A rotation returns a new secret. For ${formatDuration(OLD_SECRET_SIGNS_MS)} every request has a signature of both, so that you can change the secret of the receiver at any time.`,
      ],
    },
    {
      id: "deprecation",
      title: "Deprecation",
      parts: [
        `\`GET /pets/{petId}\` is deprecated and will be removed on ${GET_PET_SUNSET_DAY}; its responses say so in \`Deprecation\` and \`Sunset\`. Use \`GET /pets\` with a \`status\` filter instead, or \`GET /listings/{petId}\` (\`getListing\`) for one animal.`,
      ],
    },
  ];
}
