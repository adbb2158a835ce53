// The file with the rows of the listed problems.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ImportReport } from "../../../client/src/client.ts";
import { writeBadRows } from "../../../console/src/import/bad-rows.ts";

type Problem = ImportReport["problems"][number];

async function write(
  content: string | Buffer,
  problems: Problem[],
  settings: Partial<ImportReport["settings"]> = {},
): Promise<string[]> {
  const file = new File([content as BlobPart], "animals.csv");
  const rows = await writeBadRows(file, {
    problems,
    settings: { encoding: "utf-8", delimiter: ",", ...settings },
  } as unknown as ImportReport);
  const text = Buffer.from(await rows.arrayBuffer()).toString();
  assert.ok(text.startsWith("\uFEFF"), "spreadsheets see that it is UTF-8");
  return text.slice(1).split("\r\n");
}

const bad = (line: number, message: string, heading?: string): Problem =>
  ({ line, message, ...(heading && { heading }) }) as Problem;

test("writes the reasons before the columns of the file", async () => {
  const rows = await write("name,sex\nRex,m\nLuna,?\n", [
    bad(3, 'not "a" name', "name"),
    bad(3, "too short"),
  ]);
  assert.deepEqual(rows, ["problem,name,sex", '"name: not ""a"" name; too short",Luna,?', ""]);
});

test("counts lines as an editor does, over line breaks in quotes and all kinds of line ends", async () => {
  const text = 'sep=;\r\n\r\nname;text\nRex;"a\r\nb\n""c"""\rLuna;5" tall\r\nMomo;""\n\nMinka;x';
  const rows = await write(text, [bad(4, "A (the row ends on line 6)"), bad(7, "B"), bad(10, "C")], {
    delimiter: ";",
  });
  assert.deepEqual(
    rows.join("\n"),
    'problem;name;text\n"A (the row ends on line 6)";Rex;"a\nb\n""c"""\n"B";Luna;5" tall\n"C";Minka;x\n',
  );
});

test("keeps a heading with a line break", async () => {
  const rows = await write('"Name\nof it",sex\nLuna,?\n', [bad(3, "A")]);
  assert.deepEqual(rows, ['problem,"Name\nof it",sex', '"A",Luna,?', ""]);
});

test("reads the encoding that the service has found", async () => {
  const rows = await write(Buffer.from("Name;Größe\nBär;?", "latin1"), [bad(2, "size")], {
    encoding: "windows-1252",
    delimiter: ";",
  });
  assert.deepEqual(rows, ["problem;Name;Größe", '"size";Bär;?', ""]);
});
