// Checks whether an IP address is within a list of addresses and CIDR ranges.

import { BlockList, isIPv4 } from "node:net";

export const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** An IPv4 address in the form of IPv6 counts as IPv4. */
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
