// Predicts the next start with these settings, and finds settings that do not fit together.

import { type Config, describeDatabase } from "../../config/config.ts";
import { formatUrl } from "../../tools/local-url.ts";
import { isLoopback } from "../listen-faults.ts";
import type { StoreState } from "./database.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

/** Faults of these checks prevent a start. Without Redis, the service starts and reports `degraded`. */
const NEEDED = ["engine", "writes", "schema", "address"];

interface NextStart {
  config: Config;
  store: StoreState | undefined;
  /** Whether this service already listens on the address. */
  isRunning: boolean;
  findings: Finding[];
}

export function describeStart({ config, store, isRunning, findings }: NextStart): Finding {
  const isFaulty = ({ check, result }: Finding) => result === "fault" && NEEDED.includes(check);
  const faulty = findings.filter(isFaulty).map(({ check }) => check);
  if (faulty.length > 0 || store === undefined) {
    const detail = `the service would not start, because of the fault in: ${faulty.join(", ")}`;
    return fault("start", detail, `Fix these checks first: ${faulty.join(", ")}.`);
  }
  const name = describeDatabase(config);
  if (store.isServed && !isRunning) {
    const mend = "Stop that process first, or set PORT and HOST as it has them.";
    return warning("start", `refused while another process serves ${name}`, mend);
  }
  const begin = isRunning ? "a restart" : "the next start";
  const where = config.port === 0 ? `a free port of ${config.host}` : formatUrl(config.host, config.port);
  return ok("start", `${begin} ${describeMigration(store, name)} and listens on ${where}`);
}

function describeMigration({ exists, schemaVersion, knownVersion, missing }: StoreState, name: string) {
  if (!exists) return `creates ${name} with schema ${knownVersion}`;
  if (schemaVersion === 0) return `creates the tables of schema ${knownVersion} in ${name}`;
  if (missing.length === 0) return `changes nothing in the database (schema ${schemaVersion} is current)`;
  const names = missing.map((each) => `"${each}"`).join(", ");
  return `migrates schema ${schemaVersion} to ${knownVersion} (${names})`;
}

/** Undefined if the database cannot be used. */
export function describeKeys({ adminApiKey }: Config, store: StoreState | undefined): Finding | undefined {
  if (store === undefined || store.schemaVersion > store.knownVersion) return undefined;
  if (store.hasAdminKey === true) return ok("keys", "an admin key is active; the next start creates none");
  if (adminApiKey !== undefined)
    return ok("keys", "ADMIN_API_KEY is the only admin key; the next start creates none");
  // The right to read the keys is missing; the check of writes reports it.
  if (store.schemaVersion > 0 && store.hasAdminKey === undefined) return undefined;
  const why = store.schemaVersion === 0 ? "the store is new" : "no admin key is active";
  return ok("keys", `${why}: the next start creates an admin key and prints it once`);
}

/** Settings that are valid each, but not together. */
export function examineSettings(config: Config, store: StoreState | undefined): Finding[] {
  const { host, publicUrl, trustProxy, redisUrl } = config;
  const findings: Finding[] = [];
  if (publicUrl === undefined && !isLoopback(host)) {
    const detail = `PUBLIC_URL is not set, so links in responses begin with ${formatUrl(host, config.port)}`;
    findings.push(warning("links", detail, "Set PUBLIC_URL to the address that clients use."));
  }
  if (publicUrl?.startsWith("https:") && trustProxy.length === 0) {
    const detail = "PUBLIC_URL is https, so there is a proxy, but TRUST_PROXY is not set";
    const mend =
      "Set TRUST_PROXY to the address of the proxy, such as 127.0.0.1. Otherwise all clients without a key share one budget.";
    findings.push(warning("proxy", detail, mend));
  }
  if (redisUrl === undefined && store?.nodes !== undefined && store.nodes > 0) {
    const detail = `REDIS_URL is not set here, but nodes that use Redis serve this database: ${store.nodes}`;
    const mend = "Set REDIS_URL as for those nodes. Otherwise this node counts requests alone.";
    findings.push(warning("nodes", detail, mend));
  }
  return findings;
}
