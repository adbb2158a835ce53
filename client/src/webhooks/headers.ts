// Reads a header from the forms in which runtimes and frameworks hand over headers.

/**
 * The headers of a request: a `Headers` object, a `Map`, or a plain object with names in any case, such as the
 * `request.headers` of Node.
 *
 * @example
 * const headers: WebhookHeaders = { "webhook-id": "evt_5f0c2b1d_1", "webhook-timestamp": "1763197242" };
 * await verifyWebhook("whsec_…", headers, "{}");
 */
export type WebhookHeaders =
  | { get(name: string): unknown }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** `name` in lower case. Undefined where the header is missing, empty or repeated in different forms. */
export function readHeader(headers: WebhookHeaders, name: string): string | undefined {
  const values = findValues(headers, name)
    .flat()
    .filter((value) => typeof value === "string" && value !== "");
  return values.length === 1 ? (values[0] as string) : undefined;
}

function findValues(headers: WebhookHeaders, name: string): unknown[] {
  if (typeof headers.get !== "function") return valuesOf(Object.entries(headers), name);
  const found: unknown = headers.get(name);
  // The `get` of a Map knows only one spelling.
  const isMissing = found === undefined || found === null;
  return isMissing && Symbol.iterator in headers
    ? valuesOf(headers as Iterable<[unknown, unknown]>, name)
    : [found];
}

function valuesOf(entries: Iterable<[unknown, unknown]>, name: string): unknown[] {
  return [...entries].filter(([key]) => String(key).toLowerCase() === name).map(([, value]) => value);
}
