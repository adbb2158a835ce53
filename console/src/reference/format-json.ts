// Indents the text of a JSON document without changing its values: numbers keep all their digits.

/** Strings, brackets and commas, and everything between them. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;
const INDENT = "  ";

export function formatJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  let written = "";
  let last = "";
  const newLine = () => `\n${INDENT.repeat(depth)}`;
  for (const [token] of text.matchAll(TOKENS)) {
    const isEnd = token === "}" || token === "]";
    if (isEnd) depth -= 1;
    const isEmpty = isEnd && (last === "{" || last === "[");
    const startsLine = isEnd ? !isEmpty : last === "{" || last === "[" || last === ",";
    written += `${startsLine ? newLine() : ""}${token}${token === ":" ? " " : ""}`;
    if (token === "{" || token === "[") depth += 1;
    last = token;
  }
  return written;
}
