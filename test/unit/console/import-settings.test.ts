// The settings of an import from the choices on its page, and the names of one's own fields.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ImportColumn, ImportReport } from "../../../client/src/client.ts";
import {
  isChanged,
  memberChoices,
  memberLabels,
  readingOf,
  toSettings,
} from "../../../console/src/import/settings.ts";
import { MEMBERS } from "../../../src/transfer/formats/find-columns.ts";

const columns = (members: Record<string, string | null>): ImportColumn[] =>
  Object.entries(members).map(([heading, member]) => ({ heading, member, readAs: "text", samples: [] }));

const report = (members: Record<string, string | null>, settings = {}): ImportReport =>
  ({ columns: columns(members), settings }) as unknown as ImportReport;

test("offers every member that the service reads", () => {
  assert.deepEqual(Object.keys(memberLabels()).sort(), [...MEMBERS].sort());
});

test("names a field of one's own after its heading, in the form that the service takes", () => {
  const names = { "Chip-Nr.": "chipNr", "Größe (cm)": "grosseCm", "2. Name": "name", 花子: "column4" };
  const found = columns(Object.fromEntries(Object.keys(names).map((heading) => [heading, null]))).map(
    (column, index) => memberChoices(column, index).at(-1)?.[0],
  );
  assert.deepEqual(
    found,
    Object.values(names).map((name) => `custom.${name}`),
  );
});

test("names only the members whose columns were changed", () => {
  const checked = report(
    { Rufname: null, Name: "name", Rasse: "breeds", Art: null },
    { map: { sex: "Sex" } },
  );
  const reading = readingOf(checked);
  assert.equal(isChanged(checked, reading), false);
  assert.deepEqual(toSettings(checked.columns, reading).map, { sex: "Sex" });

  const changed = { ...reading, members: ["name", null, "breeds", "breeds"] };
  assert.equal(isChanged(checked, changed), true);
  assert.deepEqual(toSettings(checked.columns, changed).map, {
    sex: "Sex",
    name: "Rufname",
    breeds: ["Rasse", "Art"],
  });
});

test("ignores a member whose only column was taken away", () => {
  const checked = report({ Name: "name", Farbe: "colors" });
  const reading = { ...readingOf(checked), members: ["name", null] };
  assert.deepEqual(toSettings(checked.columns, reading).map, { colors: null });
});

test("another setting is a change, and choosing it back is none", () => {
  const checked = report({ Name: "name" }, { dateOrder: "auto" });
  const reading = readingOf(checked);
  const dayFirst = { ...reading, settings: { ...reading.settings, dateOrder: "dmy" as const } };
  assert.equal(isChanged(checked, dayFirst), true);
  assert.equal(isChanged(checked, { ...dayFirst, settings: { ...reading.settings } }), false);
});
