// The requests of the widget: the address from its attributes, one page of listings, and why a request failed.

import type { Listing } from "../../client/src/client.ts";
import { LIMIT_DEFAULT, PARAMETERS } from "./attributes.ts";

const PUBLISHABLE = "ask_pub_";
const TIMEOUT_MS = 20_000;
/** Linear: no two parts can match the same characters. */
const NEXT = /<([^<>]*)>; *rel="?next\b/;

/** `code` is the service's, or `invalid_attribute` or `unreachable`. */
export class ListError extends Error {
  readonly code: string;
  /** 0 without a response. */
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, message = "", { status = 0, retryAfterSeconds = 0 } = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds || undefined;
  }
}

export interface ListPage {
  listings: Listing[];
  /** Absent after the last page. */
  next: URL | undefined;
}

/** The address of the service without a slash at its end, and the key. */
export interface Service {
  root: string;
  key: string;
}

export function readService(element: Element): Service {
  const root = resolveAddress(element.getAttribute("src") ?? "javascript:")?.replace(/\/$/, "");
  if (root === undefined) throw new ListError("invalid_attribute", "src must be the address of the service.");
  const key = element.getAttribute("key") ?? "";
  if (!key.startsWith(PUBLISHABLE))
    throw new ListError(
      "invalid_attribute",
      `key must be a publishable key, which begins with ${PUBLISHABLE}.`,
    );
  return { root, key };
}

/** Undefined unless it leads to http or https, which refuses `javascript:` and `data:`. */
export function resolveAddress(address: string): string | undefined {
  if (!URL.canParse(address, document.baseURI)) return undefined;
  const { protocol, href } = new URL(address, document.baseURI);
  return /^https?:$/.test(protocol) ? href : undefined;
}

/** `search` replaces the attribute `q`. */
export function firstPageOf(element: Element, { root, key }: Service, search: string): URL {
  const url = new URL(`${root}/v1/listings`);
  url.searchParams.set("key", key);
  for (const name of PARAMETERS) {
    const value = name === "q" ? search : element.getAttribute(name) || (name === "limit" && LIMIT_DEFAULT);
    if (value)
      url.searchParams.set(
        name.replace(/-./, ([, letter = ""]) => letter.toUpperCase()),
        value,
      );
  }
  return url;
}

export async function readPage(url: URL, signal: AbortSignal): Promise<ListPage> {
  const { response, body } = await read(url, signal);
  if (!Array.isArray(body)) throw new ListError("unreachable");
  const [, target] = NEXT.exec(response.headers.get("link") ?? "") ?? [];
  if (target === undefined) return { listings: body, next: undefined };
  // Stays at the address of `src`, the only one that the policy of the page allows.
  const next = new URL(url);
  next.search = new URL(target, url).search;
  return { listings: body, next };
}

/** False also where the site cannot be read: then the cards have no links. */
export async function isSitePublic({ root, key }: Service, signal: AbortSignal): Promise<boolean> {
  const url = new URL(`${root}/v1/site`);
  url.searchParams.set("key", key);
  return read(url, signal).then(
    ({ body }) => body.isPublic === true,
    () => false,
  );
}

async function read(url: URL, signal: AbortSignal) {
  let response: Response;
  let body: { code?: unknown; message?: unknown; isPublic?: unknown };
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    response = await fetch(url, { credentials: "omit", signal: limited });
    body = JSON.parse(await response.text(), keepExact) ?? {};
  } catch {
    throw new ListError("unreachable");
  }
  if (response.ok) return { response, body };
  throw new ListError(String(body.code ?? "unreachable"), String(body.message ?? ""), {
    status: response.status,
    retryAfterSeconds: Number(response.headers.get("retry-after")),
  });
}

/** An id beyond 2^53 as text, where the browser passes the digits. */
function keepExact(name: string, value: unknown, context?: { source?: string }): unknown {
  return name === "id" && !Number.isSafeInteger(value) ? (context?.source ?? value) : value;
}
