// The target of a request in one form, so that routes, limits and headers agree on what was asked for.

const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/g;
const ESCAPE = /%[0-9A-Fa-f]{2}/g;
const UNRESERVED = /[A-Za-z0-9._~-]/;
/** A target as proxies get it. What follows the host may be missing. */
const ABSOLUTE_FORM = /^https?:\/\/[^/?#]+/i;
const SLASH = 0x2f;

/** False for targets that name nothing of ours: `*`, other schemes, no host. */
export function isReadableTarget(target: string): boolean {
  return target.charCodeAt(0) === SLASH || ABSOLUTE_FORM.test(target);
}

/** Path and query, with a slash at the beginning and escapes only where they are needed; `*` for unreadable targets. */
export function normalizeTarget(target: string): string {
  const isPlain = target.charCodeAt(0) === SLASH && !target.includes("%") && !target.includes("#");
  if (isPlain) return target;
  return isReadableTarget(target) ? rewriteTarget(target) : "*";
}

function rewriteTarget(target: string): string {
  const [local = ""] = target.replace(ABSOLUTE_FORM, "").split("#", 1);
  const queryAt = local.indexOf("?");
  const path = queryAt === -1 ? local : local.slice(0, queryAt);
  // Only the path: the query is decoded parameter by parameter later on.
  const query = queryAt === -1 ? "" : local.slice(queryAt);
  return (path === "" ? "/" : normalizePath(path)) + query;
}

/** A path that cannot be decoded names nothing; taken literally it ends as 404 like any other such path. */
function normalizePath(path: string): string {
  const escaped = path.replaceAll(BAD_ESCAPE, "%25").replaceAll(ESCAPE, decodeUnreserved);
  try {
    decodeURIComponent(escaped);
    return escaped;
  } catch {
    // Escapes of bytes that are no UTF-8.
    return escaped.replaceAll("%", "%25");
  }
}

/** RFC 3986, 6.2.2.2: these escapes mean the same as the characters themselves. */
function decodeUnreserved(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  return UNRESERVED.test(character) ? character : escaped;
}
