// The URL of a listening service for programs on the same machine.

/** 127.0.0.1 if it listens on all addresses. */
export function formatUrl(host: string, port: number): string {
  const isAny = host === "0.0.0.0" || host === "::";
  const name = isAny ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
