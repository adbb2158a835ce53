// Profiles in files: what an export writes, an import reads as the same profile.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import fc from "fast-check";
import { isComplete, prepareImported } from "../../../src/domain/animals/imported-pet.ts";
import { type Profile, reviseProfile } from "../../../src/domain/animals/profile.ts";
import {
  createAnimalText,
  createFileRows,
  type TextOptions,
} from "../../../src/transfer/formats/file-formats.ts";
import { readRowRules } from "../../../src/transfer/import/row-rules.ts";
import { anyProfile } from "./profiles.ts";

const RULES = await readRowRules();
const PET = { name: "Rex", categoryId: 1n, status: "sold" as const };

type Options = Omit<TextOptions, "publicUrl">;

function read(text: string, options: Options) {
  const reader = createFileRows({ ...options, headings: {}, encoding: "utf-8" }, RULES);
  return [...reader.push(Buffer.from(text)), ...reader.end()];
}

function writeAndRead(profiles: Profile[], options: Options): Profile[] {
  const { head, row } = createAnimalText({ ...options, publicUrl: "https://a.example" });
  const times = { createdAtMs: 0, updatedAtMs: 0, categoryName: undefined, photos: [] };
  const rows = profiles.map((profile, i) => row({ id: BigInt(i), ...PET, profile, ...times }));
  return read(`${head}${rows.join("")}`, options).map((found) => {
    assert.ok("pet" in found, inspect(found));
    assert.ok(isComplete(found.pet));
    const { profile, ...pet } = prepareImported(found.pet);
    assert.deepEqual(pet, PET);
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
    const [row] = read(file, { format: "csv", delimiter: "|" });
    assert.ok(row !== undefined && "pet" in row, `${what}: ${inspect(row)}`);
    assert.ok(isComplete(row.pet));
    assert.deepEqual(prepareImported(row.pet).profile, expected, what);
  }
});

test("a bad cell is named by its column", () => {
  const cells: Record<string, [column: string, cell: string, problem: RegExp]> = {
    "a list that is not JSON": ["tags", "[a", /^tags must be a list of at most 10, each item 1 to 40 /],
    "a list with a number": ["tags", "[1]", /^tags must be a list/],
    "too many items": ["breeds", "a;b;c", /^breeds must be a list of at most 2,/],
    "another truth": ["mixed", "maybe", /^mixed must be true or false$/],
    "another answer": ["goodWith.cats", "true", /^goodWith\.cats must be one of yes, no, unknown$/],
    "a fee with a fraction": ["fee.amount", "2.5", /^fee\.amount must be an integer from 0 to 1000000000$/],
    "half a fee": ["fee.amount", "25", /^fee\.amount and fee\.currency must be given together$/],
    "a day of another form": ["bornOn", "31.1.2020", /^bornOn must be a date, such as 2030-01-31$/],
  };
  for (const [what, [column, cell, problem]] of Object.entries(cells)) {
    const text = `name|categoryId|${column}\nRex|1|${cell}\n`;
    const [row] = read(text, { format: "csv", delimiter: "|" });
    assert.ok(row !== undefined && "problem" in row, what);
    assert.match(row.problem, problem, what);
  }
});

test("a bad profile in NDJSON is named by its member", () => {
  const lines: Record<string, RegExp> = {
    '{"name":"Rex","profile":{"sex":"x"}}':
      /^categoryId is required; in profile: sex must be one of male, female, unknown, or null to remove it$/,
    '{"name":"Rex","categoryId":1,"profile":null}': /^in profile: it must be an object$/,
    '{"name":"Rex","categoryId":1,"profile":[]}': /^in profile: it must be an object$/,
    '{"name":"Rex","categoryId":1,"profile":"x"}': /^in profile: it must be an object$/,
  };
  for (const [line, problem] of Object.entries(lines)) {
    const [row] = read(line, { format: "ndjson" });
    assert.ok(row !== undefined && "problem" in row, line);
    assert.match(row.problem, problem);
  }
});
