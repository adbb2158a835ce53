// Stands in for the webhook operations in the browser of a test: keeps webhooks in memory and answers with their wire format.

import type { Page, Route } from "playwright-core";

interface StubDelivery {
  id: number;
  eventId: string;
  number: number;
  type: string;
  status: "pending" | "delivered" | "failed";
  attempts: number;
  lastStatus?: number;
  lastError?: string;
  lastAttemptAt?: string;
  nextAttemptAt?: string;
}

export interface WebhookStub {
  /** By id. */
  webhooks: Map<number, Record<string, unknown>>;
  deliveries: StubDelivery[];
  /** Method, path below /v1/webhooks, and body of each request. */
  requests: Array<[string, string, unknown]>;
  /** Answers all requests with 503 and this message. */
  unavailable: string | undefined;
  serve(page: Page): Promise<void>;
}

const TIME = "2026-11-16T08:00:00.000Z";

export function createWebhookStub(): WebhookStub {
  let secrets = 0;
  const nextSecret = () => {
    secrets += 1;
    return `whsec_${Buffer.from(`secret number ${secrets}`.padEnd(32)).toString("base64")}`;
  };
  const stub: WebhookStub = {
    webhooks: new Map(),
    deliveries: [],
    requests: [],
    unavailable: undefined,
    async serve(page) {
      await page.route("**/openapi.json", async (route) => {
        const document = await (await route.fetch()).json();
        await route.fulfill({ json: { ...document, paths: { ...document.paths, "/webhooks": {} } } });
      });
      await page.route("**/v1/webhooks**", (route) => respond(route));
      await page.route("**/v1/webhooks/**", (route) => respond(route));
    },
  };

  function respond(route: Route): Promise<void> {
    const request = route.request();
    const path = request.url().split("/v1/webhooks")[1] ?? "";
    const method = request.method();
    const body = request.postDataJSON() ?? {};
    stub.requests.push([method, path, body]);
    if (stub.unavailable !== undefined)
      return route.fulfill({
        status: 503,
        json: { code: "unavailable", message: stub.unavailable, status: 503 },
      });
    const [, id, action] = /^\/(\d+)(?:\/(\w+))?/.exec(path) ?? [];
    if (id === undefined) return method === "POST" ? create(route, body) : list(route);
    const webhook = stub.webhooks.get(Number(id));
    if (webhook === undefined)
      return route.fulfill({
        status: 404,
        json: { code: "webhook_not_found", message: "No webhook has this identifier.", status: 404 },
      });
    if (action === "test")
      return route.fulfill({ json: { status: 204, durationMs: 87, response: "thanks" } });
    if (action === "rotate") return route.fulfill({ json: { ...webhook, secret: nextSecret() } });
    if (action === "deliveries") return listDeliveries(route, path);
    if (action === "replay") return route.fulfill({ json: webhook });
    if (method === "DELETE") {
      stub.webhooks.delete(Number(id));
      return route.fulfill({ status: 204 });
    }
    if (method === "PATCH") update(webhook, body);
    return route.fulfill({ json: webhook });
  }

  function list(route: Route): Promise<void> {
    return route.fulfill({ json: [...stub.webhooks.values()] });
  }

  function create(route: Route, body: Record<string, unknown>): Promise<void> {
    if (String(body.url).startsWith("http:"))
      return route.fulfill({
        status: 400,
        json: { code: "url_not_allowed", message: "url must begin with https://", status: 400 },
      });
    const id = stub.webhooks.size + 1;
    const webhook = { id, ...body, status: "enabled", createdAt: TIME, pending: 0 };
    stub.webhooks.set(id, webhook);
    return route.fulfill({ status: 201, json: { ...webhook, secret: nextSecret() } });
  }

  function update(webhook: Record<string, unknown>, { after: _, ...changes }: Record<string, unknown>): void {
    Object.assign(webhook, changes);
    for (const [name, value] of Object.entries(changes)) if (value === null) delete webhook[name];
    if (changes.status === "enabled") delete webhook.disabledReason;
    if (changes.status === "disabled") webhook.disabledReason = "requested";
  }

  function listDeliveries(route: Route, path: string): Promise<void> {
    const query = new URLSearchParams(path.split("?")[1]);
    const status = query.get("status");
    const start = Number(query.get("cursor") ?? 0);
    const found = stub.deliveries.filter((delivery) => status === null || delivery.status === status);
    const end = start + Number(query.get("limit"));
    const link = `<https://store.test/v1/webhooks/1/deliveries?limit=10&cursor=${end}>; rel="next"`;
    return route.fulfill({
      json: found.slice(start, end),
      ...(end < found.length && { headers: { link } }),
    });
  }

  return stub;
}
