// Reads the address of a Redis that Sentinels watch: redis+sentinel://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME/DB.

import { isIPv6 } from "node:net";

export interface SentinelUrl {
  /** HOST:PORT of each Sentinel. */
  sentinels: string[];
  /** The name that the Sentinels have for the master. */
  master: string;
  /** The user and the password of Redis, not of its Sentinels. */
  user: string | undefined;
  password: string | undefined;
  db: number;
  /** Concerns Redis and the Sentinels. */
  isTls: boolean;
}

const PORT = 26_379;
const PORT_MAX = 65_535;
const SENTINELS_MAX = 10;
const SCHEME = /^rediss?\+sentinel:/;
const FORM =
  /^(rediss?)\+sentinel:\/\/(?:([^:/@?#]*):([^/@?#]+)@)?([^/@?#]+)\/([A-Za-z0-9._-]+)(?:\/(\d{1,5}))?$/;
const HOST = /^(\[[\da-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/;

export function isSentinelUrl(text: string): boolean {
  return SCHEME.test(text);
}

/** Undefined if the text has another form. */
export function parseSentinelUrl(text: string): SentinelUrl | undefined {
  const [, scheme, user, password, hosts = "", master, db = "0"] = FORM.exec(text) ?? [];
  const sentinels = hosts.split(",").map(readHost);
  const [decodedUser, decodedPassword] = [user, password].map(decode);
  const isReadable = decodedUser !== undefined && decodedPassword !== undefined;
  if (master === undefined || !sentinels.every((each) => each !== undefined)) return undefined;
  // Each has one vote.
  if (sentinels.length > SENTINELS_MAX || new Set(sentinels).size < sentinels.length) return undefined;
  if (password !== undefined && !isReadable) return undefined;
  return {
    sentinels,
    master,
    user: decodedUser || undefined,
    password: decodedPassword,
    db: Number(db),
    isTls: scheme === "rediss",
  };
}

/** With the port; undefined for what is not an address. */
function readHost(text: string): string | undefined {
  const [, host = "", port = String(PORT)] = HOST.exec(text) ?? [];
  const isHost = host.startsWith("[") ? isIPv6(host.slice(1, -1)) : host !== "";
  const isPort = Number(port) >= 1 && Number(port) <= PORT_MAX;
  return isHost && isPort ? `${host}:${port}` : undefined;
}

/** Undefined for a text with a broken percent sign. */
function decode(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
