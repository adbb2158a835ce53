// The URLs and addresses that webhooks may be sent to. A caller must not reach the operator's own network through us.

import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { ServiceError } from "../domain/basics/errors.ts";
import { type FailureCause, type FailureDetails, sayFailure } from "../domain/webhooks/delivery-failures.ts";
import { createRangeCheck } from "../tools/address-ranges.ts";
import { showText } from "../tools/shown-text.ts";

/** Forbidden ranges, by what they are for. The first row that matches names the reason. */
const RANGES: Array<[kind: string, ranges: string[]]> = [
  // RFC 1122, RFC 4291.
  ["an unspecified", ["0.0.0.0/8", "::/128"]],
  ["a loopback", ["127.0.0.0/8", "::1/128"]],
  // Before link-local and shared: Amazon, Google, Azure, Oracle and others; Alibaba; Azure's host; Oracle's; Amazon and
  // Google on IPv6.
  [
    "a cloud metadata",
    [
      "169.254.169.254",
      "169.254.170.2",
      "100.100.100.200",
      "168.63.129.16",
      "192.0.0.192",
      "fd00:ec2::254",
      "fd20:ce::254",
    ],
  ],
  // RFC 3927, RFC 4291.
  ["a link-local", ["169.254.0.0/16", "fe80::/10"]],
  // RFC 1918, RFC 4193.
  ["a private", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]],
  // RFC 3879.
  ["a site-local", ["fec0::/10"]],
  // RFC 6598.
  ["a shared", ["100.64.0.0/10"]],
  // RFC 2544, RFC 5180.
  ["a benchmarking", ["198.18.0.0/15", "2001:2::/48"]],
  // RFC 5737, RFC 3849, RFC 9637.
  ["a documentation", ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"]],
  // RFC 6052, RFC 8215. These and the next two rows contain an IPv4 address, which may be a private one.
  ["a NAT64", ["64:ff9b::/96", "64:ff9b:1::/48"]],
  // RFC 3056, RFC 7526.
  ["a 6to4", ["2002::/16", "192.88.99.0/24"]],
  // RFC 4380.
  ["a Teredo", ["2001::/32"]],
  // RFC 5771, RFC 4291.
  ["a multicast", ["224.0.0.0/4", "ff00::/8"]],
  // RFC 919.
  ["a broadcast", ["255.255.255.255"]],
  // RFC 6890, RFC 1112, RFC 2928.
  ["a reserved", ["192.0.0.0/24", "240.0.0.0/4", "2001::/23"]],
];

/** IPv4, also in the form of IPv6, and the part of IPv6 that is assigned to networks. */
const isAssigned = createRangeCheck(["::ffff:0:0/96", "2000::/3"]);

const KINDS = RANGES.map(([kind, ranges]) => ({ kind, holds: createRangeCheck(ranges) }));

/** Names that belong to private networks: RFC 6761, RFC 6762, RFC 8375, and `.internal`, which ICANN reserved. */
const PRIVATE_ENDINGS = [".localhost", ".localdomain", ".local", ".internal", ".home.arpa"];

const DEFAULT_PORTS: Record<string, number> = { "https:": 443, "http:": 80 };

export interface HostPort {
  /** A name or an address, without brackets. */
  host: string;
  port: number;
}

export interface AddressRules {
  /** Checks everything but the addresses of a name. Throws a ServiceError `url_not_allowed` that says why. */
  readUrl(text: string): URL;
  /** Whether a connection to this address of the host is allowed. */
  isAllowed(target: HostPort, address: string): boolean;
  /** Whether an operator has permitted the name, whatever its addresses are. */
  isNameAllowed(host: string): boolean;
}

interface AddressOptions {
  allowHttp: boolean;
  /** Exceptions: addresses, CIDR ranges and host names. */
  allow: string[];
  /** Where this service can be reached: its public address and its listener. No exception permits these. */
  findOwn: () => HostPort[];
}

export function createAddressRules({ allowHttp, allow, findOwn }: AddressOptions): AddressRules {
  const isRange = (each: string) => isIP(each.split("/")[0] as string) !== 0;
  const isInAllowedRange = createRangeCheck(allow.filter(isRange));
  const allowedNames = new Set(allow.filter((each) => !isRange(each)));

  function findKind(address: string): string | undefined {
    if (isInAllowedRange(address)) return undefined;
    const known = KINDS.find(({ holds }) => holds(address))?.kind;
    if (known !== undefined) return known;
    if (!isAssigned(address)) return "a reserved";
    return isOfHost(address) ? "this host's own" : undefined;
  }

  /** Other services of this host may trust it, so its public addresses are forbidden on every port. */
  function isOfHost(address: string): boolean {
    const named = findOwn().flatMap(({ host }) => (isIP(host) === 0 ? [] : [host]));
    return createRangeCheck([...listLocalAddresses(), ...named])(address);
  }

  function isOwn({ host, port }: HostPort): boolean {
    return findOwn().some((own) => own.port === port && isSameHost(own.host, host));
  }

  function findFault(url: URL): ServiceError | undefined {
    const target = targetOf(url);
    const { host, port } = target;
    if (url.protocol !== "https:" && !allowHttp) return refuse("url_not_https");
    if (port === 0) return refuse("url_port_zero");
    if (isOwn(target)) return refuse("url_of_service");
    if (allowedNames.has(host)) return undefined;
    if (isIP(host) === 0) return isPrivateName(host) ? refuse("url_private_name", { host }) : undefined;
    const kind = findKind(host);
    return kind === undefined ? undefined : refuse("url_forbidden_address", { host, kind });
  }

  return {
    readUrl(text) {
      const url = parseUrl(text);
      const fault = findFault(url);
      if (fault !== undefined) throw fault;
      return url;
    },
    isAllowed({ host, port }, address) {
      if (isOwn({ host: address, port })) return false;
      return allowedNames.has(host) || findKind(address) === undefined;
    },
    isNameAllowed: (host) => allowedNames.has(host),
  };
}

export function targetOf({ hostname, port, protocol }: URL): HostPort {
  return {
    host: hostname.startsWith("[") ? hostname.slice(1, -1) : hostname,
    port: port === "" ? (DEFAULT_PORTS[protocol] as number) : Number(port),
  };
}

export function refuse(cause: FailureCause, details?: FailureDetails): ServiceError {
  return refuseWith(sayFailure(cause, details));
}

export function refuseWith(message: string): ServiceError {
  return new ServiceError("url_not_allowed", { message });
}

/** `URL` would repair white space, backslashes, further slashes and empty credentials in silence. */
function parseUrl(text: string): URL {
  const url = /^https?:\/\/[^/]/i.test(text) && !/[\s\\\p{Cc}]/u.test(text) ? URL.parse(text) : null;
  // The dot at the end of a complete name would hide it from the comparisons, and no certificate has it.
  if (url?.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
  if (url === null || !isHostName(url.hostname)) throw refuse("url_invalid", { text: showText(text) });
  if (/^https?:\/\/[^/?#]*@/i.test(text)) throw refuse("url_with_credentials");
  return url;
}

/** RFC 1035. `URL` accepts empty labels, so that a name with two dots at its end would pass for another one. */
function isHostName(host: string): boolean {
  return host.length <= 253 && host.split(".").every((label) => label.length > 0 && label.length <= 63);
}

/** A name without a dot, such as `localhost` or the name of a container, is never public. */
function isPrivateName(host: string): boolean {
  return !host.includes(".") || PRIVATE_ENDINGS.some((ending) => host.endsWith(ending));
}

function isSameHost(own: string, host: string): boolean {
  if (isIP(own) === 0 || isIP(host) === 0) return own === host;
  const isWildcard = own === "0.0.0.0" || own === "::";
  const addresses = isWildcard ? [own, "127.0.0.0/8", "::1", ...listLocalAddresses()] : [own];
  return createRangeCheck(addresses)(host);
}

/** Read each time: interfaces come and go. */
function listLocalAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
}
