// The path of a request as the log shows it: without secrets, in visible ASCII, of limited length.

import type { FastifySchema } from "fastify";

const LENGTH_MAX = 120;
/** Also the beginning of a key, a key in the wrong case, and one with percent-encoded characters. */
const KEY = /ask_(?:live|test|pub)_[0-9a-z%]*/gi;
const ESCAPE = /%[0-9a-f]{2}/gi;
const INVISIBLE = /[^!-~]/g;
const HIDDEN = "/…";

/** `secrets` come from the settings and may have any form. */
export function createPathCleaner(secrets: readonly string[]): (path: string) => string {
  return (path) => {
    const visible = path.replaceAll(INVISIBLE, escapeCharacter).replaceAll(KEY, "ask_…");
    const decoded = visible.replaceAll(ESCAPE, decodeEscape);
    const hasSecret = secrets.some((secret) => visible.includes(secret) || decoded.includes(secret));
    // These secrets cannot be cut out reliably, so that nothing of the path is shown.
    if (hasSecret || decoded.search(KEY) >= 0) return HIDDEN;
    return visible.length > LENGTH_MAX ? `${visible.slice(0, LENGTH_MAX)}…` : visible;
  };
}

/** Node gives one character per byte. */
function escapeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

function decodeEscape(escaped: string): string {
  return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
}

/** Without the query. */
export function pathOf(url: string): string {
  const queryAt = url.indexOf("?");
  return queryAt === -1 ? url : url.slice(0, queryAt);
}

/** With the query parameters that the operation knows: the value of another one could be a secret. */
export function pathWithQueryOf(url: string, schema: FastifySchema | undefined): string {
  const path = pathOf(url);
  const { properties = {} } = (schema?.querystring ?? {}) as { properties?: object };
  const known = url
    .slice(path.length + 1)
    .split("&")
    .filter((part) => Object.hasOwn(properties, part.split("=", 1)[0] as string));
  return known.length === 0 ? path : `${path}?${known.join("&")}`;
}
