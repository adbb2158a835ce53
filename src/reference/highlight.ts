// Splits code into words with a meaning, for the colours of the reference. It needs no grammar: strings, comments, words
// of the language, numbers and names are enough.

import type { CodeLanguage } from "./blocks.ts";

/** The names of the groups below, which are also the classes of the style sheet. */
type TokenKind = "comment" | "string" | "word" | "number" | "name";

export interface Token {
  /** Absent for plain text. */
  kind?: TokenKind;
  text: string;
}

/**
 * A language without an entry has no colours. A closing quote is optional, so that every opening one ends the search at once.
 */
const RULES: Partial<Record<CodeLanguage, RegExp>> = {
  sh: /(?<comment>(?<!\S)#[^\n]*)|(?<string>'[^']*'?|"(?:[^"\\]|\\[\s\S])*"?)|(?<word>(?<=^|\| )[a-z][\w-]*)|(?<name>(?<=\s)--?[A-Za-z][\w-]*)|(?<number>\$\w+)/gm,
  js: /(?<comment>\/\/[^\n]*)|(?<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\[\s\S])*`?)|(?<word>\b(?:as|async|await|break|catch|const|continue|else|export|finally|for|from|function|if|import|in|instanceof|let|new|of|return|throw|try|typeof|while)\b)|(?<number>\b(?:true|false|null|undefined)\b|\b\d[\w.]*)|(?<name>\b[A-Za-z_]\w*(?=:))/gm,
  python:
    /(?<comment>#[^\n]*)|(?<string>"""(?:[^"]|"(?!""))*(?:""")?|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|(?<word>\b(?:and|as|break|class|continue|def|elif|else|except|finally|for|from|if|import|in|is|not|or|pass|raise|return|try|while|with|yield)\b)|(?<number>\b(?:True|False|None)\b|\b\d[\w.]*)/gm,
  json: /(?<name>"(?:[^"\\\n]|\\.)*"(?=:))|(?<string>"(?:[^"\\\n]|\\.)*"?)|(?<number>\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*)/gm,
  html: /(?<comment><!--(?:[^-]|-(?!->))*(?:-->)?)|(?<word><\/?[\w-]+|\/?>)|(?<string>"[^"]*"?)|(?<name>(?<![\w-])[a-z-]+(?==))/gm,
  css: /(?<comment>\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?)|(?<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|(?<name>(?<![\w-])[\w-]+(?=:))|(?<number>#[\da-f]+|\b\d[\w.]*)/gm,
};

/** The texts of the tokens are the code. */
export function splitCode(code: string, language: CodeLanguage): Token[] {
  const pattern = RULES[language];
  if (pattern === undefined) return [{ text: code }];
  const tokens: Token[] = [];
  let end = 0;
  for (const { 0: text, index, groups = {} } of code.matchAll(pattern)) {
    if (index > end) tokens.push({ text: code.slice(end, index) });
    const [kind] = Object.entries(groups).find(([, found]) => found !== undefined) ?? [];
    tokens.push({ kind: kind as TokenKind, text });
    end = index + text.length;
  }
  return end < code.length ? [...tokens, { text: code.slice(end) }] : tokens;
}

/** Each line with its line feed; a token of several lines has a part in each. */
export function splitLines(tokens: Token[]): Token[][] {
  const lines: Token[][] = [[]];
  for (const { text, ...rest } of tokens)
    for (const part of text.split(/(?<=\n)/)) {
      lines.at(-1)?.push({ ...rest, text: part });
      if (part.endsWith("\n")) lines.push([]);
    }
  return lines.filter((line) => line.length > 0);
}
