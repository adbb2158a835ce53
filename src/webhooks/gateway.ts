// Outgoing webhooks for the API and the commands: secrets, the check of a URL, and a test event.

import { randomBytes } from "node:crypto";
import type { Clock } from "../domain/basics/clock.ts";
import { ServiceError } from "../domain/basics/errors.ts";
import { type StoredWebhook, TEST_TYPE, type WebhookGateway } from "../domain/webhooks/webhook.ts";
import { OLD_SECRET_SIGNS_MS } from "../domain/webhooks/webhook-limits.ts";
import { exactJson } from "../tools/exact-json.ts";
import { once } from "../tools/once.ts";
import { createAddressRules, type HostPort, targetOf } from "./addresses.ts";
import { openMasterKey } from "./master-key.ts";
import type { ProxySettings } from "./proxy.ts";
import { createSender, type Send } from "./sender.ts";
import { deriveSecret, fingerprintKey } from "./signature.ts";
import { createTargets } from "./targets.ts";

const RETRY_AFTER_SECONDS = 60;
/** A receiver may keep a test open for 15 s. Without a bound, each request of a key could open a connection. */
const TESTS_PER_KEY_MAX = 3;
const TEST_RETRY_AFTER_SECONDS = 15;
const NO_KEY =
  "Webhooks are not set up. An operator must set WEBHOOK_SECRET_KEY to 32 or more random characters, the same on every node, and restart the service.";

const OTHER_KEY =
  "The webhook has a secret of another WEBHOOK_SECRET_KEY or key file. An operator must set the old one again, or the webhook needs a new secret: rotate it.";

export interface WebhookSettings extends ProxySettings {
  webhookSecretKey: string | undefined;
  webhookAllowHttp: boolean;
  webhookAllow: string[];
  database: { engine: "sqlite"; path: string } | { engine: "postgres" };
  publicUrl: string | undefined;
  host: string;
}

interface GatewayOptions {
  /** The port that this process listens on. */
  findPort: () => number;
  clock: Clock;
}

export interface Webhooks extends WebhookGateway {
  send: Send;
  /** Whether the master key in use is the one that the secrets of the webhook are derived from. */
  canSign(webhook: Pick<StoredWebhook, "keyFingerprint">): Promise<boolean>;
  /** The secrets that sign now, the current one first. */
  findSecrets(webhook: StoredWebhook): Promise<string[]>;
  stop(): void;
}

export function createWebhooks(settings: WebhookSettings, { findPort, clock }: GatewayOptions): Webhooks {
  const {
    webhookSecretKey: secretKey,
    webhookAllowHttp: allowHttp,
    webhookAllow: allow,
    database,
  } = settings;
  const storePath = database.engine === "sqlite" ? database.path : undefined;
  const findOwn = () => listOwnAddresses(settings, findPort());
  const rules = createAddressRules({ allowHttp, allow, findOwn });
  const targets = createTargets({ rules, proxies: settings });
  const send = createSender({ targets, clock });
  const signer = createSigner(secretKey, storePath, clock);
  /** The keys that asked for the running tests. */
  const testing: bigint[] = [];
  const stopping = new AbortController();

  return {
    ...signer,
    checkUrl: targets.check,
    async sendTest(webhook, callerId) {
      if (!(await signer.canSign(webhook))) throw unavailable(OTHER_KEY);
      if (testing.filter((id) => id === callerId).length >= TESTS_PER_KEY_MAX) throw tooManyTests();
      testing.push(callerId);
      try {
        const secrets = await signer.findSecrets(webhook);
        return await send({ ...createTestEvent(clock), url: webhook.url, secrets }, stopping.signal);
      } finally {
        testing.splice(testing.indexOf(callerId), 1);
      }
    },
    send,
    stop: () => stopping.abort(),
  };
}

function createSigner(secretKey: string | undefined, storePath: string | undefined, clock: Clock) {
  function requireKey(): void {
    if (secretKey === undefined && storePath === undefined) throw unavailable(NO_KEY);
  }

  /** Created with the first webhook, so that a store without webhooks has no such file. */
  const openKey = once(async (): Promise<string> => {
    requireKey();
    const opened = openMasterKey({ secretKey, storePath }).catch((cause) => {
      throw unavailable("The key of the webhooks cannot be read. The log has the cause.", cause);
    });
    return (await opened) as string;
  });

  return {
    requireKey,
    async openSecrets() {
      const key = await openKey();
      return {
        keyFingerprint: fingerprintKey(key),
        secretOf: ({ id, version }: Pick<StoredWebhook, "id" | "version">) => deriveSecret(key, id, version),
      };
    },
    canSign: async ({ keyFingerprint }: Pick<StoredWebhook, "keyFingerprint">) =>
      fingerprintKey(await openKey()) === keyFingerprint,
    async findSecrets({ id, version, rotatedAtMs }: StoredWebhook): Promise<string[]> {
      const key = await openKey();
      const isOldValid = rotatedAtMs !== undefined && clock.nowMs() < rotatedAtMs + OLD_SECRET_SIGNS_MS;
      return (isOldValid ? [version, version - 1] : [version]).map((each) => deriveSecret(key, id, each));
    },
  };
}

function createTestEvent(clock: Clock): { eventId: string; body: string } {
  const eventId = `evt_test_${randomBytes(8).toString("hex")}`;
  const timestamp = new Date(clock.nowMs());
  return { eventId, body: exactJson({ id: eventId, number: 0, type: TEST_TYPE, timestamp, data: {} }) };
}

function unavailable(message: string, cause?: unknown): ServiceError {
  return new ServiceError("unavailable", { message, retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

function tooManyTests(): ServiceError {
  const message = `${TESTS_PER_KEY_MAX} webhooks are being tested with this key. Test this one again after a short wait.`;
  return new ServiceError("unavailable", { message, retryAfterSeconds: TEST_RETRY_AFTER_SECONDS });
}

/** The address that clients use, and the one that this process listens on. */
export function listOwnAddresses({ publicUrl, host }: WebhookSettings, port: number): HostPort[] {
  const known = publicUrl === undefined ? null : URL.parse(publicUrl);
  return known === null ? [{ host, port }] : [targetOf(known), { host, port }];
}
