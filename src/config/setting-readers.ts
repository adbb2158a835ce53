// Readers that turn the text of an environment variable into its value.

import { isIP } from "node:net";
import { parseTime, TIME_RULE } from "../domain/basics/time.ts";
import { PostgresUrlError, splitServers } from "../tools/postgres-url.ts";
import { isSentinelUrl, parseSentinelUrl } from "../tools/sentinel-url.ts";

/** The message says what is allowed and continues the name of the variable: "must be …". */
export class SettingError extends Error {}

export type Database = { engine: "sqlite"; path: string } | { engine: "postgres"; url: string };

/** Without `localhost`: Fastify would create a second server for ::1 that lacks our limits on connections and pipelines. */
export function readHost(text: string): string {
  return text === "localhost" ? "127.0.0.1" : text;
}

export function readDatabase(text: string): Database {
  const path = /^sqlite:(?:\/\/(?=\/)|(?!\/\/|:))(.+)$/s.exec(text)?.[1];
  if (path !== undefined) return { engine: "sqlite", path };
  if (!/^postgres(?:ql)?:\/\/./.test(text))
    throw new SettingError("must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME");
  try {
    splitServers(text);
    return { engine: "postgres", url: text };
  } catch (error) {
    if (error instanceof PostgresUrlError) throw new SettingError(error.message);
    throw error;
  }
}

export function readRedisUrl(text: string): string {
  if (isSentinelUrl(text)) {
    if (parseSentinelUrl(text) !== undefined) return text;
    throw new SettingError(
      "must be redis+sentinel://[USER:PASSWORD@]HOST:PORT,HOST:PORT/NAME[/DB] (rediss+sentinel for TLS), with each of at most 10 Sentinels once, where NAME is the master's name in Sentinel; in the password, write each of @ / ? # % as % and its code (@ is %40)",
    );
  }
  const isRedisUrl = (each: string) => /^rediss?:\/\/./.test(each) && URL.canParse(each);
  if (text.split(",").every(isRedisUrl)) return text;
  throw new SettingError(
    "must be redis://HOST:PORT, several of them separated by commas, or redis+sentinel://HOST:PORT,HOST:PORT/NAME",
  );
}

/** The URL without a slash at the end. */
export function readHttpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username;
  if (!isPlain)
    throw new SettingError("must be an http or https address, such as https://animals.example.org");
  const address = url.href.replace(/\/+$/, "");
  if (address.endsWith("/v1")) throw new SettingError("must be given without /v1 at the end");
  return address;
}

/** The address as given. */
export function readContact(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && ["http:", "https:"].includes(url.protocol)) return text;
  const [user, host, ...more] = url?.protocol === "mailto:" && !url.search ? url.pathname.split("@") : [];
  if (user && host && more.length === 0) return text;
  throw new SettingError(
    "must be an http or https address, or mailto: and an email address, such as mailto:help@example.org",
  );
}

export function secretOf(lengthMin: number): (text: string) => string {
  return (text) => {
    if (/^[\x21-\x7e]+$/.test(text) && text.length >= lengthMin) return text;
    throw new SettingError(`must be ${lengthMin} or more visible ASCII characters`);
  };
}

export function readSwitch(text: string): boolean {
  return oneOf(["0", "1"])(text) === "1";
}

/** The address of a proxy; the scheme is optional, as in other programs. */
export function readProxy(text: string): string {
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (url !== null && /^https?:$/.test(url.protocol) && url.pathname === "/" && !url.search) return url.href;
  throw new SettingError("must be the address of a proxy, such as http://proxy.example.org:3128");
}

/** Addresses, CIDR ranges and host names; names in the form that `URL` gives them. */
export function readAllowedTargets(text: string): string[] {
  return readList(text).map((each) => {
    const target = isAddressRange(each) ? each : findHostName(each);
    if (target === undefined)
      throw new SettingError(
        "must be a list of addresses, CIDR ranges or host names, such as 10.0.0.0/8,hooks.example.org",
      );
    return target;
  });
}

/** Without the dot at the end of a complete name. Undefined for numbers and everything that has more than a name. */
function findHostName(text: string): string | undefined {
  const name = text.replace(/\.$/, "");
  const host = /^[^\s/?#@:\\[\]%*]+$/.test(name) ? URL.parse(`http://${name}`)?.hostname : undefined;
  return host !== undefined && isIP(host) === 0 ? host : undefined;
}

export function readAddressRanges(text: string): string[] {
  const ranges = readList(text);
  if (ranges.every(isAddressRange)) return ranges;
  throw new SettingError("must be a list of addresses or CIDR ranges, such as 10.0.0.0/8,::1");
}

export function readOrigins(text: string): string[] {
  const origins = readList(text);
  const isOrigin = (origin: string) => URL.canParse(origin) && new URL(origin).origin === origin;
  if (origins.every(isOrigin)) return origins;
  throw new SettingError("must be a list of origins, such as https://animals.example.org");
}

export function readTime(text: string): number {
  const ms = parseTime(text);
  if (ms === undefined) throw new SettingError(`must be ${TIME_RULE}`);
  return ms;
}

/** Reads a whole number and multiplies it by `unit`, such as 1,000 for seconds in milliseconds. */
export function wholeNumber(min: number, max: number, unit = 1): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value * unit;
    throw new SettingError(`must be a whole number from ${min} to ${max}`);
  };
}

export function oneOf<const T extends string>(allowed: readonly T[]): (text: string) => T {
  return (text) => {
    const known = allowed.find((each) => each === text);
    if (known === undefined) throw new SettingError(`must be one of ${allowed.join(", ")}`);
    return known;
  };
}

export function readList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function isAddressRange(range: string): boolean {
  const [address = "", bits, ...rest] = range.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
