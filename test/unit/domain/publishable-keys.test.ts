// Publishable keys in the domain: the origins that they may have, and the budgets of their visitors.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createVisitorBudgets } from "../../../src/domain/keys/address-budgets.ts";
import { isAllowableOrigin } from "../../../src/domain/keys/allowed-origins.ts";
import type { ApiKey } from "../../../src/domain/keys/api-key.ts";
import { visitorLimitOf } from "../../../src/domain/keys/plan.ts";

const ORIGINS: Record<string, boolean> = {
  "https://www.example.org": true,
  "https://example.org:8443": true,
  "https://xn--bcher-kva.example": true,
  "https://192.0.2.1": true,
  "https://[2001:db8::1]:444": true,
  "http://localhost": true,
  "http://localhost:5173": true,
  "http://127.0.0.1:80800": false,
  "http://127.1.2.3:8080": true,
  "http://[::1]": true,
  "http://example.org": false,
  "http://localhost.example.org": false,
  "http://127.0.0.1.example.org": false,
  "http://192.168.0.1": false,
  "https://www.example.org/": false,
  "https://www.example.org/animals": false,
  "https://WWW.example.org": false,
  "https://www.example.org:443": false,
  "https://*.example.org": false,
  "https://bücher.example": false,
  "https://user@example.org": false,
  "https://example.org?": false,
  "https://": false,
  "//example.org": false,
  "ftp://example.org": false,
  "www.example.org": false,
  null: false,
  "*": false,
  "": false,
  [`https://${"a".repeat(60_000)}`]: false,
};

for (const [origin, isAllowed] of Object.entries(ORIGINS))
  test(`${isAllowed ? "accepts" : "refuses"} the origin ${JSON.stringify(origin.slice(0, 40))}`, () => {
    assert.equal(isAllowableOrigin(origin), isAllowed);
  });

function keyWith(id: bigint, settings: Partial<ApiKey> = {}): ApiKey {
  const key = { id, name: "", plan: "free", access: "browse", kind: "publishable" } as const;
  return { ...key, hint: "", createdAtMs: 0, ...settings };
}

test("an address has half of the key's limit, rounded up, and at most 120 a minute", () => {
  const limits: Array<[Partial<ApiKey>, number]> = [
    [{ plan: "free" }, 30],
    [{ plan: "pro" }, 120],
    [{ plan: "enterprise", perMinute: 1 }, 1],
    [{ plan: "enterprise", perMinute: 5 }, 3],
    [{ plan: "enterprise", perMinute: 239 }, 120],
    [{ plan: "enterprise", perMinute: 1_000_000 }, 120],
  ];
  for (const [settings, limit] of limits) assert.equal(visitorLimitOf(keyWith(1n, settings)), limit);
});

test("an address is charged for each key by itself, and follows the plan of the key", () => {
  const budgets = createVisitorBudgets();
  const used = (key: ApiKey, times: number, nowMs = 1_000) =>
    Array.from({ length: times }, () => budgets.admit(key, "192.0.2.1", nowMs).verdict);
  const [one, other] = [keyWith(1n), keyWith(2n)];
  assert.deepEqual(used(one, 31), [...Array(30).fill("admitted"), "minute"]);
  assert.deepEqual(used(other, 1), ["admitted"]);
  assert.deepEqual(used({ ...one, plan: "pro" }, 1), ["admitted"]);
  assert.deepEqual(used(one, 1, 60_999), ["minute"]);
  assert.deepEqual(used(one, 1, 61_000), ["admitted"]);
});

test("the number of budgets is bounded, and the addresses of one key do not displace another key's", () => {
  const budgets = createVisitorBudgets(100);
  const [flooded, calm] = [keyWith(1n), keyWith(2n)];
  for (let i = 0; i < 30; i++) budgets.admit(calm, "192.0.2.1", 1_000);
  for (let i = 0; i < 5_000; i++) budgets.admit(flooded, `visitor ${i}`, 1_000);
  assert.equal(budgets.size, 100);
  assert.equal(budgets.admit(calm, "192.0.2.1", 1_000).verdict, "minute");
  for (let id = 3n; id < 500n; id++) budgets.admit(keyWith(id), "192.0.2.1", 1_000);
  assert.equal(budgets.size, 100);
});
