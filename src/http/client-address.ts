// The address whose budget a request without a valid key is counted on.

import { isIPv4, isIPv6 } from "node:net";

/** The budget of a request; `ip` is what trusted proxies say of it. */
export function addressOf(request: { ip: string; socket: { remoteAddress?: string | undefined } }): string {
  return budgetAddress(request.ip, request.socket.remoteAddress);
}

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * IPv4 whole, IPv6 by its /64: one household commonly has that many addresses. Text that is no address, as a
 * trusted proxy may pass on, counts on the socket it came from.
 */
export function budgetAddress(claimed: string, socketAddress: string | undefined): string {
  const address = claimed.replace(/%.*$/, "").replace(MAPPED_IPV4, "$1");
  if (isIPv4(address)) return address;
  if (isIPv6(address)) return `${ipv6Network(address)}::/64`;
  return claimed === socketAddress ? "unknown" : budgetAddress(socketAddress ?? "", socketAddress ?? "");
}

function ipv6Network(address: string): string {
  // An IPv4 tail stands for the last two of eight groups, which the network never reaches.
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
