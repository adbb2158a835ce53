// Comments of the generated code.

/** Line width of the formatter. */
export const LINE_MAX = 110;

export function comment(text: string, indent: string): string {
  if (text === "") return "";
  const [line = "", ...more] = text.split("\n").flatMap((each) => wrap(each, LINE_MAX - indent.length));
  if (more.length === 0) return `${indent}/** ${line} */\n`;
  return `${indent}/**\n${[line, ...more].map((each) => `${indent} * ${each}\n`).join("")}${indent} */\n`;
}

export function commentWithExample(text: string, example: string, indent = ""): string {
  const lines = text.split("\n").flatMap((each) => wrap(each, LINE_MAX - indent.length));
  const all = [...lines, "", "@example", ...example.split("\n")];
  return `${indent}/**\n${all.map((each) => `${indent} *${each === "" ? "" : ` ${each}`}\n`).join("")}${indent} */\n`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
