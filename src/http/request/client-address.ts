// The address whose budget is charged for requests without a valid key.

import { BlockList, isIPv4, isIPv6 } from "node:net";

/** `ip` is the address that trusted proxies report; undefined where the client has disconnected. */
export function addressOf(request: { ip?: string; socket: { remoteAddress?: string | undefined } }): string {
  return budgetAddress(request.ip, request.socket.remoteAddress);
}

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

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

/** Tells whether a socket's address is within one of the ranges: addresses or CIDR ranges, as in TRUST_PROXY. */
export function createRangeCheck(ranges: string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return (address) => {
    const plain = address.replace(MAPPED_IPV4, "$1");
    return list.check(plain, familyOf(plain));
  };
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv4(address) ? "ipv4" : "ipv6";
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
