// Words of the commands that messages suggest to operators.

import { relative } from "node:path";

/** Quotes text for a shell if needed. Single quotes, because shells expand `$` and backquotes inside double quotes. */
export function quoteWord(text: string): string {
  if (/^[\w@+:.,/-]+$/.test(text)) return text;
  return process.platform === "win32" ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Relative to the working folder for a file below it. */
export function shortenPath(file: string): string {
  const below = relative(process.cwd(), file);
  return below.startsWith("..") ? file : below;
}
