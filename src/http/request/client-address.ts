// The address whose budget a request without a valid key is counted on.

import { BlockList, isIPv4, isIPv6 } from "node:net";

/** The budget of a request; `ip` is what trusted proxies say of it, and undefined where the client is gone. */
export function addressOf(request: { ip?: string; socket: { remoteAddress?: string | undefined } }): string {
  return budgetAddress(request.ip, request.socket.remoteAddress);
}

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * IPv4 whole, IPv6 by its /64: one household commonly has that many addresses. Text that is no address, as a
 * trusted proxy may pass on, counts on the socket it came from; what nobody knows the address of, on "unknown".
 */
export function budgetAddress(claimed = "", socketAddress = ""): string {
  const address = claimed.replace(/%.*$/, "").replace(MAPPED_IPV4, "$1");
  if (isIPv4(address)) return address;
  if (isIPv6(address)) return `${ipv6Network(address)}::/64`;
  return claimed === socketAddress ? "unknown" : budgetAddress(socketAddress, socketAddress);
}

/** Whether an address of a socket is within one of the ranges: addresses, or CIDR ranges as TRUST_PROXY has them. */
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
