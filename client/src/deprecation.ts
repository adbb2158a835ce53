// Warns once about each deprecated operation that is used.

import type { ServiceRequest } from "./request.ts";

/** The response headers show operations that were deprecated after this client was generated. */
export function warnOnce(
  onWarning: (message: string) => void,
): (request: ServiceRequest, headers: Headers) => void {
  const warned = new Set<string>();
  return ({ name, operation: { deprecated } }, headers) => {
    const isDeprecated = deprecated !== undefined || headers.has("deprecation");
    if (!isDeprecated || warned.has(name)) return;
    warned.add(name);
    const sunset = headers.get("sunset");
    const end = sunset === null ? "" : ` It ends on ${sunset}.`;
    onWarning(`${name} is deprecated.${deprecated === undefined ? end : ` ${deprecated}`}`);
  };
}
