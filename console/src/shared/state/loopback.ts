// Addresses that only the computer itself can reach.

const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

export function isLoopback(address: string): boolean {
  return LOOPBACK.test(URL.parse(address)?.hostname ?? "");
}
