// The check of Redis, and the advice for each state that makes it unusable.

import { inspectRedis } from "../../command-stores.ts";
import { type Config, describeRedis } from "../../config/config.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";
import { adviseSentinel, describeServers, findServerFaults } from "./sentinels.ts";

const SILENT =
  "No answer in time. Check that the server is not frozen and that no firewall drops its packets.";
const PLAIN = "If the server has no TLS, write redis:// instead of rediss://.";

/** The first row with a text that the message contains. */
const ADVICE: Array<[texts: string[], advice: string]> = [
  [["NOAUTH", "WRONGPASS"], "Correct user and password in REDIS_URL: USER:PASSWORD@HOST."],
  [
    ["NOPERM"],
    "The user in REDIS_URL needs all commands on keys that begin with animal-store:. Run in redis-cli: ACL SETUSER USER +@all ~animal-store:*",
  ],
  [["READONLY"], "This server is a replica: set REDIS_URL to the primary server."],
  [["OOM"], "The memory of Redis is full: raise maxmemory, or set maxmemory-policy to volatile-ttl."],
  [["MISCONF"], "Redis cannot save its data: check its log and its disk."],
  [["LOADING"], "Redis is loading its data. Wait, then run this again."],
  [["of a cluster", "MOVED"], "List the servers of the cluster in REDIS_URL, separated by commas."],
  [["cluster support disabled"], "This server is not part of a cluster: set REDIS_URL to one address."],
  [
    ["CLUSTERDOWN", "has slots"],
    "The cluster does not serve all slots. Run: redis-cli --cluster check HOST:PORT",
  ],
  [["unknown host name"], "The name of the host is not known: correct it in REDIS_URL."],
  [["no answer in time", "host unreachable"], SILENT],
  [
    ["Protocol error", "RESP type"],
    "Another program answers at this address: correct host and port in REDIS_URL.",
  ],
  [["packet length", "wrong version", "SSL"], PLAIN],
  [
    ["connection closed"],
    "It closed the connection without an answer. If it requires TLS, write rediss:// in REDIS_URL; otherwise check that it is Redis.",
  ],
];
const EVICTING =
  "Redis may delete counts that are in use. Set maxmemory-policy to volatile-ttl or noeviction, as with: redis-cli CONFIG SET maxmemory-policy volatile-ttl";
const REFUSED = "Is it running? Start Redis, or correct REDIS_URL.";
const UNTIL_FIXED = "until it works, each node admits its share of the limits";

/** Undefined without REDIS_URL. The address is shown without its password. */
export async function examineRedis(config: Config): Promise<Finding | undefined> {
  if (config.redisUrl === undefined) return undefined;
  const name = describeRedis(config.redisUrl);
  try {
    const { server, policy, mayEvict, roles } = await inspectRedis(config, config.redisUrl);
    const problems = [
      ...(mayEvict ? [{ text: `maxmemory-policy is ${policy}`, mend: EVICTING }] : []),
      ...(roles ? findServerFaults(roles) : []),
    ];
    const found = `${server}; ${name} answers, takes writes and runs scripts`;
    const detail = [
      found,
      ...(roles ? [describeServers(roles)] : []),
      ...problems.map(({ text }) => text),
    ].join("; ");
    const servers = roles?.map(({ host, role, lagBytes }) => {
      return { host, role, ...(lagBytes !== undefined && { lagBytes }) };
    });
    const mend = problems.map((problem) => problem.mend).join(" ");
    const finding = problems.length === 0 ? ok("redis", detail) : warning("redis", detail, mend);
    return { ...finding, ...(servers && { servers }) };
  } catch (error) {
    const { message } = error as Error;
    return fault("redis", `${name}: ${message}; ${UNTIL_FIXED}`, adviseRedis(message, config.redisUrl));
  }
}

function adviseRedis(message: string, url: string): string {
  const ofSentinel = adviseSentinel(message);
  if (ofSentinel !== undefined) return ofSentinel;
  const known = ADVICE.find(([texts]) => texts.some((text) => message.includes(text)));
  const advice = known?.[1] ?? REFUSED;
  // Redis without TLS takes the handshake for the start of a command, and waits.
  return advice === SILENT && url.startsWith("rediss:") ? `${advice} ${PLAIN}` : advice;
}
