// The address whose budget is charged for requests without a valid key.

import type { IncomingMessage } from "node:http";
import { isIP, isIPv4, isIPv6 } from "node:net";
import { createRangeCheck, MAPPED_IPV4 } from "../../tools/address-ranges.ts";

/** `ip` is the address that trusted proxies report; undefined where the client has disconnected. */
export function addressOf(request: { ip?: string; socket: { remoteAddress?: string | undefined } }): string {
  return budgetAddress(request.ip, request.socket.remoteAddress);
}

/** The same without the framework: the last address that is not a trusted proxy. */
export function createAddressFinder(trustProxy: string[]): (request: IncomingMessage) => string {
  const isInRanges = createRangeCheck(trustProxy);
  const isProxy = (address: string) => isIP(address) !== 0 && isInRanges(address);
  return ({ socket: { remoteAddress = "" }, headers }) => {
    let address = remoteAddress;
    if (trustProxy.length > 0) {
      const reported = String(headers["x-forwarded-for"] ?? "").split(",");
      while (isProxy(address) && reported.length > 0) address = reported.pop()?.trim() || address;
    }
    return budgetAddress(address, remoteAddress);
  };
}

/**
 * A whole IPv4 address, or the /64 network of an IPv6 address, because one household commonly has that many addresses. Where
 * a trusted proxy reports no valid address, the address of the socket; without one, "unknown".
 */
export function budgetAddress(claimed = "", socketAddress = ""): string {
  const address = claimed.replace(/%.*$/, "").replace(MAPPED_IPV4, "$1");
  if (isIPv4(address)) return address;
  if (isIPv6(address)) return `${ipv6Network(address)}::/64`;
  return claimed === socketAddress ? "unknown" : budgetAddress(socketAddress, socketAddress);
}

function ipv6Network(address: string): string {
  // An IPv4 tail is the last two of eight groups, and not part of the network.
  const [head = "", tail] = address.replace(/\d+\.\d+\.\d+\.\d+$/, "0:0").split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const gap = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(gap).fill("0"), ...after];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
