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
