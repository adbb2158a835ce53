// The HTTP app over stand-ins of the services: a test gives those that it needs, and the others are missing.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import pino from "pino";
import type { Gate } from "../../../src/domain/keys/gate.ts";
import { createInProcessGate } from "../../../src/gate/in-process.ts";
import { buildApp } from "../../../src/http/app.ts";
import { createMetrics } from "../../../src/http/observe/metrics.ts";
import type { HttpServices } from "../../../src/http/services.ts";
import { createReference } from "../../../src/reference/reference.ts";
import { createPublicSite } from "../../../src/site/public-site.ts";
import { createChangeSignal } from "../../../src/tools/change-signal.ts";
import type { ManualClock } from "./app.ts";

/** Stores no counts. */
export async function openGate(t: TestContext, clock: ManualClock): Promise<Gate> {
  const gate = await createInProcessGate({
    clock,
    store: { loadAll: async () => new Map(), save: async () => {} },
    onFlushError: (error) => assert.fail(String(error)),
  });
  t.after(() => gate.close());
  return gate;
}

type Given = Partial<HttpServices> & Pick<HttpServices, "clock" | "gate">;

/** Resolves to the address without `/v1`. */
export async function startAppOver(t: TestContext, services: Given): Promise<string> {
  const app = await buildApp({
    changes: createChangeSignal(async () => 0),
    log: pino({ level: "silent" }),
    metrics: createMetrics(),
    usage: { count: () => {} },
    publicUrl: () => "http://localhost",
    trustProxy: [],
    getPetDeprecatedMs: 0,
    isStopping: () => false,
    reference: createReference(),
    sitePages: createPublicSite({} as never),
    ...services,
  } as Partial<HttpServices> as HttpServices);
  t.after(() => app.close());
  return app.listen({ port: 0, host: "127.0.0.1" });
}
