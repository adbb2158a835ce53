// The errors of the client: one class per meaning, and responses that do not come from the service.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AccessError,
  AnimalStoreError,
  UnavailableError,
  UnexpectedAnswerError,
} from "../../../client/src/client.ts";
import { ERRORS } from "../../../src/domain/basics/errors.ts";
import { startApp } from "../../harness/servers/app.ts";
import { type ScriptedAnswer, startScripted } from "../../harness/servers/scripted-server.ts";
import { clientOf, NEW_PET, PET } from "./scene.ts";

test("every error code of the service has a class that says what to do", async (t) => {
  const answers = Object.entries(ERRORS).map(([code, { status, message }]) => ({
    status,
    headers: { "x-request-id": `id-of-${code}` },
    body: { code, message, status },
  }));
  const server = await startScripted(t, ...answers);
  const { client } = clientOf(server.url, { retries: 0 });
  const classes: Record<string, string[]> = {};
  for (const [code, { status, message }] of Object.entries(ERRORS)) {
    const error = await client.getInventory().catch((reason) => reason);
    assert.ok(error instanceof AnimalStoreError);
    assert.deepEqual([error.code, error.status, error.message], [code, status, message]);
    assert.equal(error.requestId, `id-of-${code}`);
    assert.equal(error.name, error.constructor.name);
    classes[error.name] = [...(classes[error.name] ?? []), code];
  }
  const invalid = Object.keys(ERRORS).filter((code) =>
    /^(bad_r|invalid_(?!api|tr)|url_not|method|body|unsupp|headers)/.test(code),
  );
  const codes = (list: string) => list.split(/\s+/);
  assert.deepEqual(classes, {
    InvalidRequestError: invalid,
    AuthenticationError: codes("missing_api_key invalid_api_key"),
    AccessError: codes("insufficient_access other_shelter origin_not_allowed"),
    NotFoundError:
      codes(`pet_not_found order_not_found category_not_found shelter_not_found key_not_found person_not_found invitation_not_found
      photo_not_found webhook_not_found delivery_not_found route_not_found`),
    UnavailableError: codes("request_timeout unavailable"),
    ConflictError: codes(`invalid_transition pet_not_available pet_has_open_order shelter_in_use
      external_id_taken idempotency_in_progress too_many_photos too_many_webhooks file_has_bad_rows`),
    FeedResetError: codes("feed_reset"),
    OperationRemovedError: codes("operation_removed"),
    PreconditionFailedError: codes("precondition_failed"),
    IdempotencyKeyReusedError: codes("idempotency_key_reused"),
    RateLimitError: codes("rate_limit_exceeded daily_limit_exceeded key_banned too_many_streams"),
    ServerError: codes("internal_error"),
  });
});

test("an AccessError names the access that is needed", async (t) => {
  const { url, createKey } = await startApp(t);
  const { key } = await createKey({ access: "browse" });
  const error = await clientOf(url, { apiKey: key })
    .client.createPet(NEW_PET)
    .catch((reason) => reason);
  assert.ok(error instanceof AccessError);
  assert.equal(error.neededAccess, "manage");
});

test("retries after the error page of a proxy, and then throws UnavailableError", async (t) => {
  const page = { status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad gateway</h1>" };
  const server = await startScripted(t, page, { body: { available: 1 } }, page);
  const { client } = clientOf(server.url, { retries: 1 });
  assert.deepEqual(await client.getInventory(), { available: 1 });
  await assert.rejects(client.getInventory({ retries: 0 }), (error) => {
    assert.ok(error instanceof UnavailableError);
    assert.deepEqual([error.code, error.status, error.requestId.length], ["unexpected_answer", 502, 32]);
    return true;
  });
});

test("throws UnexpectedAnswerError for a response that does not come from the service", async (t) => {
  const other = await startScripted(t, { body: PET });
  const answers: Record<string, ScriptedAnswer> = {
    "a page": { headers: { "content-type": "text/html" }, body: "<h1>Welcome</h1>" },
    nothing: { body: "" },
    "half of an answer": { body: '[{"id": 1' },
    "no list": { body: {} },
    "a redirect": { status: 301, headers: { location: `${other.url}/v1/pets` } },
    "an unknown status": { status: 418, body: { code: 1 } },
  };
  const server = await startScripted(t, ...Object.values(answers));
  const { client, waits } = clientOf(server.url);
  for (const what of Object.keys(answers))
    await assert.rejects(client.listPets().page(), UnexpectedAnswerError, what);
  assert.deepEqual([waits, other.requests], [[], []]);
});
