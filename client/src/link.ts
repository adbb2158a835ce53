// Parser of the Link header (RFC 8288).

const LINK = /<([^<>]*)>((?:\s*;\s*[^\s;,="]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]+))?)*)/g;
const PARAMETER = /;\s*([^\s;,="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]+)))?/g;

/** The target of the first link with this relation. */
export function findLink(header: string | null, relation: string): string | undefined {
  for (const [, target, parameters = ""] of (header ?? "").matchAll(LINK))
    if (relationsOf(parameters).includes(relation)) return target;
  return undefined;
}

function relationsOf(parameters: string): string[] {
  for (const [, name = "", quoted, bare = ""] of parameters.matchAll(PARAMETER))
    if (name.toLowerCase() === "rel") return (quoted ?? bare).toLowerCase().split(/\s+/);
  return [];
}

/** The cursor of the next page, from a parameter of its address. The host is ignored, so that a response cannot make the client send the key elsewhere. */
export function nextCursor(header: string | null, parameter = "cursor"): string | undefined {
  const target = findLink(header, "next");
  const query = target?.split("#")[0]?.split("?")[1];
  return new URLSearchParams(query).get(parameter) ?? undefined;
}
