// The limits of keys and addresses: windows, headers, refusals, bans, anonymous callers.

import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import { type Answer, countStatuses, repeat } from "../harness/clients/call.ts";
import { requestText, sendRaw } from "../harness/clients/socket.ts";
import { startApp } from "../harness/servers/app.ts";
import { assertCommon, assertError } from "./assertions.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

function rate(answer: Answer): { limit: number; remaining: number; reset: number } {
  const [limit = 0, remaining = 0, reset = 0] = ["limit", "remaining", "reset"].map((name) =>
    Number(answer.headers[`x-ratelimit-${name}`]),
  );
  return { limit, remaining, reset };
}

/** Each error code once. */
function codes(answers: Answer[]): string[] {
  return [...new Set(answers.map(({ json }) => json.code))];
}

test("Every response shows the limits of its key", async (t) => {
  const { call, clock, createKey } = await startApp(t);
  const get = (key: string) => call("GET", "/pets", { key });

  const plans: Array<[object, number, number]> = [
    [{ plan: "free" }, 60, 1_000],
    [{ plan: "pro" }, 300, 10_000],
    [{ plan: "business" }, 1_000, 100_000],
    [{ plan: "enterprise" }, 10_000, 1_000_000],
    [{ plan: "enterprise", perMinute: 5, perDay: 7 }, 5, 7],
  ];
  for (const [settings, perMinute, perDay] of plans)
    await t.test(`allows ${JSON.stringify(settings)} ${perMinute} a minute, ${perDay} a day`, async () => {
      const { key } = await createKey(settings);
      const answer = await get(key);
      const reset = Math.ceil((clock.nowMs() + MINUTE_MS) / 1000);
      assert.deepEqual(rate(answer), { limit: perMinute, remaining: perMinute - 1, reset });
      assert.equal(
        answer.headers["ratelimit-policy"],
        `"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`,
      );
      assert.equal(
        answer.headers.ratelimit,
        `"minute";r=${perMinute - 1};t=60, "day";r=${perDay - 1};t=86400`,
      );
    });

  await t.test("starts each window at its first counted request", async () => {
    const { key } = await createKey();
    const startMs = clock.nowMs();
    await get(key);
    clock.advance(59_999);
    const inside = await get(key);
    assert.equal(rate(inside).remaining, 58);
    assert.equal(rate(inside).reset, Math.ceil((startMs + MINUTE_MS) / 1000));
    assert.match(inside.headers.ratelimit ?? "", /"minute";r=58;t=1,/);
    clock.advance(1);
    const next = await get(key);
    assert.equal(rate(next).remaining, 59);
    assert.match(next.headers.ratelimit ?? "", /"day";r=997;t=86340$/);
  });

  await t.test("rounds the reset time up to the next second", async () => {
    const { key } = await createKey();
    clock.advance(1);
    const startMs = clock.nowMs();
    const answer = await get(key);
    assert.equal(rate(answer).reset, Math.ceil((startMs + MINUTE_MS) / 1000));
    clock.advance(999);
  });

  await t.test("charges 4xx responses after authentication, but neither 401 nor getUsage", async () => {
    const { key } = await createKey({ access: "browse" });
    const spent: Array<[string, string, number]> = [
      ["GET", "/pets?limit=0", 400],
      ["POST", "/pets", 403],
      ["GET", "/pets/77", 404],
      ["GET", "/nothing", 404],
      ["PUT", "/pets", 405],
    ];
    for (const [index, [method, path, status]] of spent.entries()) {
      const answer = await call(method, path, { key });
      assert.equal(answer.status, status);
      assert.equal(rate(answer).remaining, 59 - index, `${method} ${path}`);
    }
    await call("GET", "/pets", { key: undefined });
    const usage = await call("GET", "/usage", { key });
    assert.equal(rate(usage).remaining, 55);
    assert.deepEqual(usage.json, {
      plan: "free",
      access: "browse",
      minute: { limit: 60, remaining: 55, reset: (clock.nowMs() + MINUTE_MS) / 1000 },
      day: { limit: 1000, remaining: 995, reset: (clock.nowMs() + DAY_MS) / 1000 },
    });
  });

  await t.test("charges every invalid body once", async () => {
    const { key } = await createKey();
    await call("POST", "/pets", { key, body: "{" });
    await call("POST", "/pets", { key, body: "{}", headers: { "content-type": "text/plain" } });
    await call("POST", "/pets", { key, body: "x".repeat(17_000) });
    assert.equal((await call("GET", "/usage", { key })).json.minute.remaining, 57);
  });
});

test("Requests beyond a limit are refused", async (t) => {
  const { call, clock, createKey } = await startApp(t);
  const get = (key: string) => call("GET", "/pets", { key });

  await t.test("rejects a request beyond the minute limit with 429, and charges it nowhere", async () => {
    const { key } = await createKey();
    clock.advance(250);
    const startMs = clock.nowMs();
    assert.deepEqual(countStatuses(await repeat(60, () => get(key))), { 200: 60 });
    clock.advance(18_500);
    const refused = await get(key);
    assertError(refused, "rate_limit_exceeded");
    assert.equal(refused.headers["retry-after"], "42");
    const reset = Math.ceil((startMs + MINUTE_MS) / 1000);
    assert.deepEqual(rate(refused), { limit: 60, remaining: 0, reset });
    const { minute, day } = (await call("GET", "/usage", { key })).json;
    assert.deepEqual([minute.remaining, day.remaining], [0, 940]);
    clock.set(startMs + MINUTE_MS);
    assert.equal((await get(key)).status, 200);
    clock.advance(750);
  });

  await t.test("rejects a request beyond the day limit, and then reports the day as binding", async () => {
    const { key } = await createKey({ plan: "enterprise", perMinute: 5, perDay: 7 });
    const dayStartMs = clock.nowMs();
    await repeat(5, () => get(key));
    const both = await get(key);
    assertError(both, "rate_limit_exceeded");
    clock.advance(MINUTE_MS);
    const seventh = (await repeat(2, () => get(key)))[1] as Answer;
    assert.deepEqual(rate(seventh), { limit: 7, remaining: 0, reset: (dayStartMs + DAY_MS) / 1000 });
    const refused = await get(key);
    assertError(refused, "daily_limit_exceeded");
    assert.equal(refused.headers["retry-after"], String((DAY_MS - MINUTE_MS) / 1000));
    assert.deepEqual((await call("GET", "/usage", { key })).json.minute.remaining, 3);
    clock.set(dayStartMs + DAY_MS);
    assert.equal((await get(key)).status, 200);
  });

  await t.test("reports the later reset when both windows are exhausted", async () => {
    const { key } = await createKey({ plan: "enterprise", perMinute: 3, perDay: 3 });
    await repeat(3, () => get(key));
    const refused = await get(key);
    assertError(refused, "daily_limit_exceeded");
    assert.equal(refused.headers["retry-after"], "86400");
  });

  await t.test("counts each key separately", async () => {
    const [one, other] = [await createKey(), await createKey()];
    await repeat(61, () => get(one.key));
    assert.equal(rate(await get(other.key)).remaining, 59);
  });

  await t.test("sends the deprecation headers of getPet with a 429 too", async () => {
    const { key } = await createKey({ plan: "enterprise", perMinute: 1, perDay: 1 });
    await call("GET", "/pets/1", { key });
    const refused = await call("GET", "/pets/1", { key });
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.deprecation, "@1764892800");
  });
});

test("Keys that ignore refusals are banned", async (t) => {
  const { call, clock, createKey } = await startApp(t);
  const get = (key: string) => call("GET", "/pets", { key });

  async function provokeBan(key: string, allowed: number): Promise<Answer> {
    await repeat(allowed + 1, () => get(key));
    clock.advance(SECOND_MS);
    const refusals = await repeat(Math.max(50, allowed), () => get(key));
    assert.deepEqual(codes(refusals), ["rate_limit_exceeded"]);
    return get(key);
  }

  await t.test("bans a key for 60 s after more refusals than its limit, and never extends it", async () => {
    const { key } = await createKey();
    const banned = await provokeBan(key, 60);
    const startMs = clock.nowMs();
    assertError(banned, "key_banned");
    assert.equal(banned.headers["retry-after"], "60");
    clock.advance(30_000);
    const later = await repeat(100, () => get(key));
    assert.deepEqual(codes(later), ["key_banned"]);
    assert.equal(later.at(-1)?.headers["retry-after"], "30");
    const usage = await call("GET", "/usage", { key });
    assert.equal(usage.status, 200);
    assert.deepEqual(usage.json.ban, { reset: (startMs + MINUTE_MS) / 1000 });
    assert.equal(usage.json.day.remaining, 940);
    clock.set(startMs + MINUTE_MS);
    assert.equal((await get(key)).status, 200);
    assert.equal((await call("GET", "/usage", { key })).json.ban, undefined);
  });

  await t.test("does not count refusals within a second of the first one towards a ban", async () => {
    const { key } = await createKey();
    const burst = await repeat(250, () => get(key));
    assert.deepEqual(countStatuses(burst), { 200: 60, 429: 190 });
    clock.advance(SECOND_MS - 1);
    assertError(await get(key), "rate_limit_exceeded");
    clock.advance(1);
    const later = await repeat(61, () => get(key));
    assertError(later.at(-2) as Answer, "rate_limit_exceeded");
    assertError(later.at(-1) as Answer, "key_banned");
  });

  await t.test("bans a key with a small limit only after more than 50 refusals", async () => {
    const { key } = await createKey({ plan: "enterprise", perMinute: 2, perDay: 100 });
    assertError(await provokeBan(key, 2), "key_banned");
  });

  await t.test("doubles each further ban within 24 h, up to 1 h, and starts again after 24 h", async () => {
    const { key } = await createKey({ plan: "enterprise", perMinute: 1, perDay: 100_000 });
    for (const seconds of [60, 120, 240, 480, 960, 1920, 3600, 3600]) {
      const banned = await provokeBan(key, 1);
      assert.equal(banned.headers["retry-after"], String(seconds));
      clock.advance(seconds * 1000);
    }
    clock.advance(DAY_MS);
    assert.equal((await provokeBan(key, 1)).headers["retry-after"], "60");
  });

  await t.test("an admin lifts a ban together with the count of refusals", async () => {
    const { id, key } = await createKey({ plan: "enterprise", perMinute: 1, perDay: 1_000 });
    assertError(await provokeBan(key, 1), "key_banned");
    assert.equal((await call("POST", `/keys/${id}/unban`)).status, 200);
    assertError(await get(key), "rate_limit_exceeded");
    clock.advance(MINUTE_MS);
    assert.equal((await get(key)).status, 200);
    clock.advance(MINUTE_MS);
    const again = await provokeBan(key, 1);
    assert.equal(again.headers["retry-after"], "60", "the next ban is a first one again");
  });
});

test("Requests without a valid key have limits by address", async (t) => {
  const environment = { TRUST_PROXY: "127.0.0.1" };
  const { call, clock, createKey, outside } = await startApp(t, { environment });
  const get = (address: string, key?: string) =>
    call("GET", "/pets", { key, headers: { "x-forwarded-for": address } });

  await t.test("anonymous requests have the Free limit per address, and then get 429", async () => {
    const answers = await repeat(60, () => get("192.0.2.1"));
    assert.deepEqual(countStatuses(answers), { 401: 60 });
    assert.deepEqual(
      answers.map((answer) => rate(answer).remaining),
      Array.from({ length: 60 }, (_, i) => 59 - i),
    );
    assert.equal(answers[0]?.headers["ratelimit-policy"], '"minute";q=60;w=60');
    const refused = await get("192.0.2.1", "wrong");
    assertError(refused, "rate_limit_exceeded");
    assert.equal(refused.headers["retry-after"], "60");
    assert.equal((await get("192.0.2.2")).status, 401);
    clock.advance(MINUTE_MS);
    assert.equal((await get("192.0.2.1")).status, 401);
  });

  await t.test("anonymous requests are never charged to a valid key from the same address", async () => {
    const { key } = await createKey();
    await repeat(61, () => get("192.0.2.3"));
    const answer = await get("192.0.2.3", key);
    assert.equal(answer.status, 200);
    assert.equal(rate(answer).remaining, 59);
  });

  await t.test("anonymous requests share an IPv6 /64, and all forms of an IPv4 address", async () => {
    const pairs: Array<[string, string, boolean]> = [
      ["2001:db8:1:2::1", "2001:DB8:1:2:ffff::", true],
      ["2001:db8:1:3::1", "2001:db8:1:4::1", false],
      ["::ffff:192.0.2.9", "192.0.2.9", true],
      ["192.0.2.10", "192.0.2.11", false],
    ];
    for (const [one, other, isShared] of pairs) {
      await get(one);
      assert.equal(rate(await get(other)).remaining, isShared ? 58 : 59, `${one} ${other}`);
    }
  });

  await t.test("anonymous requests count for the nearest address that is no trusted proxy", async () => {
    await get("203.0.113.1, 198.51.100.7");
    assert.equal(rate(await get("198.51.100.7")).remaining, 58);
    assert.equal(rate(await get("203.0.113.1")).remaining, 59);
  });

  await t.test("anonymous requests count for the socket when the proxy sends no valid address", async () => {
    const before = rate(await get("nonsense")).remaining;
    assert.equal(rate(await get("x".repeat(5_000))).remaining, before - 1);
  });

  await t.test("anonymous requests share this limit with requests for /metrics", async () => {
    const headers = { "x-forwarded-for": "192.0.2.20" };
    const guess = () => outside("GET", "/metrics", { key: "wrong", headers });
    assert.deepEqual(countStatuses(await repeat(61, guess)), { 401: 60, 429: 1 });
  });
});

test("X-Forwarded-For is ignored unless it comes from a trusted proxy", async (t) => {
  const { outside } = await startApp(t);
  const first = await outside("GET", "/v1/pets");
  const second = await outside("GET", "/v1/pets", { headers: { "x-forwarded-for": "192.0.2.1" } });
  assert.equal(rate(second).remaining, rate(first).remaining - 1);
});

test("a request without a key is charged before the next request of its packet is answered", async (t) => {
  const { port } = await startApp(t);
  const put = requestText("PUT /v1/pets", { lines: ["Content-Length: 0"] });
  const options = requestText("OPTIONS /v1/pets", { lines: ["Connection: close"] });
  const text = await sendRaw(port, put + options);
  const remaining = [...text.matchAll(/x-ratelimit-remaining: (\d+)/gi)].map(([, left]) => left);
  assert.deepEqual(remaining, ["59", "59"]);
});

test("200 concurrent requests on a Free key admit exactly 60", async (t) => {
  const { call, createKey } = await startApp(t);
  const { key } = await createKey();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 200 });
  t.after(() => agent.destroy());
  const answers = await Promise.all(Array.from({ length: 200 }, () => call("GET", "/pets", { key, agent })));
  const admitted = answers.filter(({ status }) => status === 200);
  assert.equal(admitted.length, 60);
  assert.deepEqual(
    admitted.map((answer) => rate(answer).remaining).sort((a, b) => a - b),
    Array.from({ length: 60 }, (_, i) => i),
  );
  for (const answer of answers) assertCommon(answer);
});
