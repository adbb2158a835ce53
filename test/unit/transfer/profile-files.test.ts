// Profiles in files: what an export writes, an import reads as the same profile.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import fc from "fast-check";
import { prepareImported } from "../../../src/domain/animals/imported-pet.ts";
import { type Profile, reviseProfile } from "../../../src/domain/animals/profile.ts";
import { createAnimalText, type TextOptions } from "../../../src/transfer/formats/file-records.ts";
import { anyProfile } from "./profiles.ts";
import { readRows } from "./rows.ts";

const PET = { name: "Rex", categoryId: 1n, status: "sold" as const };
const SHELTER = { id: 9_007_199_254_740_993n, name: '=Zoë\'s; "home"' };

type Options = Omit<TextOptions, "publicUrl">;

function writeAndRead(profiles: Profile[], options: Options): Profile[] {
  const customNames = [...new Set(profiles.flatMap(({ custom = {} }) => Object.keys(custom)))];
  const { head, row } = createAnimalText({ ...options, customNames, publicUrl: "https://a.example" });
  const times = { createdAtMs: 0, updatedAtMs: 0, categoryName: undefined, photos: [] };
  const rows = profiles.map((profile, i) =>
    row({ id: BigInt(i), ...PET, profile, shelter: SHELTER, ...times }),
  );
  return readRows(`${head}${rows.join("")}`, options).map((found) => {
    assert.deepEqual(found.problems, [], inspect(found));
    const { profile, ...pet } = prepareImported(found.pet);
    assert.deepEqual(pet, { ...PET, shelterId: SHELTER.id });
    return profile;
  });
}

/** A cell cannot say whether a description is blank or absent. */
function withoutBlankDescription(profile: Profile): Profile {
  return profile.description?.trim() === "" ? reviseProfile(profile, { description: null }) : profile;
}

const FORMATS: Record<string, Options> = {
  CSV: { format: "csv" },
  "CSV with semicolons": { format: "csv", delimiter: ";" },
  "CSV for spreadsheets": { format: "csv", excel: true },
  "CSV for spreadsheets with tabs": { format: "csv", excel: true, delimiter: "\t" },
  NDJSON: { format: "ndjson" },
};
for (const [name, options] of Object.entries(FORMATS)) {
  test(`${name} gives every profile back`, () => {
    fc.assert(
      fc.property(fc.array(anyProfile, { minLength: 1, maxLength: 4 }), (profiles) => {
        const canonical = profiles.map((each) => reviseProfile({}, each));
        const expected = options.format === "csv" ? canonical.map(withoutBlankDescription) : canonical;
        assert.equal(JSON.stringify(writeAndRead(canonical, options)), JSON.stringify(expected));
      }),
      { numRuns: 300 },
    );
  });
}

test("a CSV cell is read as a spreadsheet or a person writes it", () => {
  const cells: Record<string, [text: string, profile: object]> = {
    "items with semicolons": ["tags\n calm;; playful ;\n", { tags: ["calm", "playful"] }],
    "a list in JSON": ['breeds\n"[""a;b"", ""[c""]"\n', { breeds: ["a;b", "[c"] }],
    "an empty list": ["colors\n[]\n", { colors: [] }],
    "truth in capitals": ["mixed\nTRUE\n", { mixed: true }],
    "lines that end with CRLF": ['description\n"a\r\nb\rc"\n', { description: "a\nb\nc" }],
    "white space around a description": ["description\n a \n", { description: " a " }],
    "a heading in other case": ["GOODWITH.Cats\nyes\n", { goodWith: { cats: "yes" } }],
    "a fee": ["fee.amount|fee.currency\n2500|EUR\n", { fee: { amount: 2_500, currency: "EUR" } }],
  };
  for (const [what, [text, expected]] of Object.entries(cells)) {
    const [heading = "", ...lines] = text.split("\n");
    const file = `name|categoryId|${heading}\nRex|1|${lines.join("\n")}`;
    const [row] = readRows(file, { delimiter: "|" });
    assert.deepEqual(row?.problems, [], what);
    assert.deepEqual(prepareImported(row?.pet ?? {}).profile, expected, what);
  }
});

test("a bad cell is named by its column, with its value and what is allowed", () => {
  const cells: Record<string, [column: string, cell: string, problem: RegExp]> = {
    "a list that is not JSON": ["tags", "[a", /^tags must be a list of at most 10, each item 1 to 40 /],
    "a list with a number": ["tags", "[1]", /^tags must be a list/],
    "too many items": ["breeds", "a;b;c", /^breeds must be a list of at most 2,/],
    "another truth": ["mixed", "maybe", /^mixed must be true or false, or yes or no$/],
    "another answer": ["goodWith.cats", "often", /^goodWith\.cats must be one of yes, no, unknown$/],
    "a fee with a fraction": ["fee.amount", "2.5", /^fee\.amount must be an integer from 0 to 1000000000$/],
    "a fee without a currency": [
      "fee.amount",
      "25",
      /^the fee has no currency\. Set currency \(--currency\)/,
    ],
    "a day of another form": ["bornOn", "spring 2020", /^bornOn must be a date, such as 2030-01-31$/],
  };
  for (const [what, [column, cell, problem]] of Object.entries(cells)) {
    const [row] = readRows(`name|categoryId|${column}\nRex|1|${cell}\n`, { delimiter: "|" });
    const [{ heading, value, message } = assert.fail(what), another] = row?.problems ?? [];
    assert.deepEqual([heading, value, another], [column, cell, undefined], what);
    assert.match(message, problem, what);
  }
});

test("a bad value in NDJSON is named by its path", () => {
  const lines: Record<string, [heading: string | undefined, message: RegExp]> = {
    '{"name":"Rex","profile":{"sex":"x"}}': ["profile.sex", /^sex must be one of male, female, unknown$/],
    '{"name":"Rex","profile":{"mixed":1}}': ["profile.mixed", /^mixed must be true or false, or yes or no$/],
    '{"name":null}': ["name", /^name must be 1 to 255 characters/],
    '{"name":"Rex","categoryId":1,"profile":null}': [undefined, /^profile must be an object$/],
    '{"name":"Rex","categoryId":1,"profile":[]}': [undefined, /^profile must be an object$/],
    '{"name":"Rex","categoryId":1,"profile":"x"}': [undefined, /^profile must be an object$/],
    '{"name":"Rex","profile":{"custom":"x"}}': [undefined, /^profile\.custom must be an object$/],
    '{"name":"Rex","profile":{"goodWith":true}}': [undefined, /^profile\.goodWith must be an object$/],
  };
  for (const [line, [heading, message]] of Object.entries(lines)) {
    const [row] = readRows(line, { format: "ndjson" });
    assert.equal(row?.problems[0]?.heading, heading, line);
    assert.match(row?.problems[0]?.message ?? "", message);
  }
});
