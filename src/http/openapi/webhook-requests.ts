// The requests that the service sends to webhooks, for the `webhooks` section of the OpenAPI document.

import { formatDuration } from "../../domain/basics/time.ts";
import { EVENT_TYPES } from "../../domain/events/event.ts";
import { ATTEMPT_MS } from "../../domain/webhooks/attempt-timeouts.ts";
import { TEST_TYPE } from "../../domain/webhooks/webhook.ts";
import { OLD_SECRET_SIGNS_MS } from "../../domain/webhooks/webhook-limits.ts";
import { capitalise, EVENT_COMPONENTS, EXAMPLE_EVENT_ID } from "../schemas/events.ts";
import type { Schema } from "../schemas/keywords.ts";
import { requiredHeader } from "./headers.ts";
import { publishSchema } from "./published-schema.ts";

const SIGNATURE = `\`v1,\` and the base64 of the HMAC-SHA256 of \`id.timestamp.body\` with the secret; for ${formatDuration(OLD_SECRET_SIGNS_MS)} after a rotation two of them, separated by a space.`;
const HEADERS = [
  requiredHeader("webhook-id", "The id of the event, the same for every attempt.", EXAMPLE_EVENT_ID),
  requiredHeader("webhook-timestamp", "Unix time of the attempt in seconds.", "1763199000"),
  requiredHeader("webhook-signature", SIGNATURE, "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="),
];

export function describeWebhookRequests() {
  const requests = [...EVENT_TYPES, TEST_TYPE].map((type) => [type, { post: describeRequest(type) }]);
  return Object.fromEntries(requests) as Record<string, { post: ReturnType<typeof describeRequest> }>;
}

function describeRequest(type: string) {
  const [kind = "", change = ""] = type.split(".").map(capitalise);
  const title = `${kind}Event`;
  const shape = (EVENT_COMPONENTS as Schema[]).find((each) => each.title === title);
  return {
    operationId: `receive${kind}${change}`,
    summary: type,
    description:
      type === TEST_TYPE
        ? "Sent by testWebhook. It has no data."
        : `Sent to every webhook that asks for this type, at least once and in any order. Answer 2xx within ${formatDuration(ATTEMPT_MS)}; any other answer is a failure, and the request is sent again later.`,
    // The signature replaces a key.
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: { "application/json": { schema: shape ? publishSchema(shape) : TEST_EVENT } },
    },
    responses: {
      "2XX": { description: "The event is accepted." },
      "410": { description: "The webhook is disabled: nothing more is sent." },
    },
  };
}

const TEST_EVENT = {
  type: "object",
  required: ["id", "number", "type", "timestamp", "data"],
  properties: {
    id: { type: "string" },
    number: { type: "integer", format: "int64" },
    type: { type: "string", enum: [TEST_TYPE] },
    timestamp: { type: "string", format: "date-time" },
    data: { type: "object" },
  },
};
