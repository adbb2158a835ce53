// Values as people write them: what becomes of each cell, by its heading and the settings.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ImportSettings } from "../../../src/domain/animals/animal-import.ts";
import { prepareImported } from "../../../src/domain/animals/imported-pet.ts";
import { readRows } from "./rows.ts";

type Expected = object | RegExp;
type Case = [heading: string, cell: string, expected: Expected, settings?: Partial<ImportSettings>];

const NAME_RULE =
  "name must be 1 to 255 characters after trimming white space at both ends, without control characters";
const SEX_RULE = "sex must be one of male, female, unknown";

const EUR = { currency: "EUR" };
const DMY = { dateOrder: "dmy" } as const;
const MDY = { dateOrder: "mdy" } as const;
const YMD = { dateOrder: "ymd" } as const;
const eur = (amount: number) => ({ fee: { amount, currency: "EUR" } });
const usd = (amount: number) => ({ fee: { amount, currency: "USD" } });
const born = (bornOn: string) => ({ bornOn, bornIsEstimated: true });

const CASES: Case[] = [
  // Yes and no.
  ["Neutered", "yes", { neutered: "yes" }],
  ["Neutered", "Y", { neutered: "yes" }],
  ["Kastriert", "ja", { neutered: "yes" }],
  ["Altered", "1", { neutered: "yes" }],
  ["Geimpft", "X", { vaccinated: "yes" }],
  ["Shots", "0", { vaccinated: "no" }],
  ["vaccinated", "FALSE", { vaccinated: "no" }],
  ["Stubenrein", "nein", { houseTrained: "no" }],
  ["special needs", "unbekannt", { specialNeeds: "unknown" }],
  ["specialNeeds", "sometimes", /^specialNeeds must be one of yes, no, unknown$/],
  ["Mix", "1", { mixed: true }],
  ["Mischling", "Nein", { mixed: false }],
  ["mixed", "perhaps", /^mixed must be true or false, or yes or no$/],
  ["Good with kids", "Yes", { goodWith: { children: "yes" } }],
  ["okwithcats", "No", { goodWith: { cats: "no" } }],
  ["NoDogs", "1", { goodWith: { dogs: "no" } }],
  ["NoDogs", "0", {}],
  ["NoDogs", "some", /^goodWith\.dogs must be one of yes, no, unknown$/],
  // Sex, size, coat and species.
  ["Sex", "M", { sex: "male" }],
  ["SEXNAME", "Female", { sex: "female" }],
  ["Geschlecht", "weiblich", { sex: "female" }],
  ["Geschlecht", "w", { sex: "female" }],
  ["Geschlecht", "MÄNNLICH", { sex: "male" }],
  ["sex", "castrated", /^sex must be one of male, female, unknown$/],
  ["Size", "XL", { size: "extra_large" }],
  ["Größe", "groß", { size: "large" }],
  ["Grösse", "klein", { size: "small" }],
  ["SIZENAME", "Very Large", { size: "extra_large" }],
  ["size", "huge", /^size must be one of small, medium, large, extra_large$/],
  ["coat_length", "Wire", { coat: "wire" }],
  ["Fell", "Kurzhaar", { coat: "short" }],
  ["SPECIESNAME", "Guinea Pig", { species: "small_animal" }],
  ["Type", "Small & Furry", { species: "small_animal" }],
  ["Type", "Barnyard", { species: "farm_animal" }],
  ["Type", "Scales, Fins & Other", { species: "other" }],
  ["Tierart", "Kaninchen", { species: "rabbit" }],
  ["Tierart", "Drache", /^species must be one of dog, cat, rabbit/],
  // Dates.
  ["bornOn", "2023-04-01", { bornOn: "2023-04-01" }],
  ["DATEOFBIRTH", "2023-04-01 00:00:00", { bornOn: "2023-04-01" }],
  ["Geburtsdatum", "1.4.2023", { bornOn: "2023-04-01" }],
  ["birth_date", "4/25/2023", { bornOn: "2023-04-25" }],
  ["birth_date", "25/4/2023", { bornOn: "2023-04-25" }],
  ["birth-date", "2023/4/1", { bornOn: "2023-04-01" }],
  [
    "birth_date",
    "4/1/2023",
    /either the day or the month first\. Set dateOrder \(--date-order\) to dmy or mdy$/,
  ],
  ["birth_date", "4/1/2023", { bornOn: "2023-04-01" }, MDY],
  ["birth_date", "4/1/2023", { bornOn: "2023-01-04" }, DMY],
  [
    "birth_date",
    "4/1/2023",
    /^the date is not valid with the year first\. Check dateOrder \(--date-order\)$/,
    YMD,
  ],
  ["birth_date", "4/13/2023", /^the date is not valid with the day first\. Check dateOrder/, DMY],
  ["birth_date", "4/13/2023 12:00:00 AM", { bornOn: "2023-04-13" }],
  ["birth_date", "2023-04-01", { bornOn: "2023-04-01" }, DMY],
  ["Geburtsdatum", "4.1.2023", { bornOn: "2023-01-04" }, MDY],
  ["Geburtsdatum", "1.4.2023", { bornOn: "2023-04-01" }, YMD],
  ["Geburtsdatum", "2023.4.1", { bornOn: "2023-04-01" }, MDY],
  ["Geburtsdatum", "1. 4. 2023", { bornOn: "2023-04-01" }],
  ["Geburtsdatum", "31.2.2023", /^bornOn must be a date, such as 2030-01-31$/],
  ["Geburtsdatum", "1.4.23", /^bornOn must be a date, such as 2030-01-31$/],
  ["Geburtsdatum", "1.4/2023", /^bornOn must be a date/],
  ["Intake Date", "Spring", /^arrivedOn must be a date/],
  ["Aufnahmedatum", "01.10.2026", { arrivedOn: "2026-10-01" }],
  // Ages, on 18 November 2026.
  ["Age", "3 years 2 months", born("2023-09-18")],
  ["Alter", "8 Monate", born("2026-03-18")],
  ["age", "ca. 10 Wochen", born("2026-09-09")],
  ["Age", "2Y/3M", born("2024-08-18")],
  ["Age", "2.5 years", born("2024-05-18")],
  ["Alter", "1,5 Monate", born("2026-10-03")],
  ["Age", "Adult", {}],
  ["Age", "3", /^age must be a number with its unit, such as 3 years 2 months/],
  ["Age", "9999999 years", /^age must be a number with its unit/],
  // Fees.
  ["Adoption Fee", "150", eur(15_000), EUR],
  ["adoption_fee", "150.00", eur(15_000), EUR],
  ["Schutzgebühr", "150,00 €", eur(15_000)],
  ["fee", "€1.250", /^the three digits after the fee's only separator may be thousands or decimals/],
  ["fee", "1.250,50 EUR", eur(125_050)],
  ["fee", "1.250.000 €", eur(125_000_000)],
  ["fee", "0.500", /^the three digits after the fee's only separator may be/, EUR],
  ["fee", "150.005", /^the three digits after the fee's only separator may be/, EUR],
  ["fee", "150 old", /^fee must be a decimal/, EUR],
  ["fee", "150 abc", /^fee must be a decimal/],
  ["fee", "150 chf", { fee: { amount: 15_000, currency: "CHF" } }, EUR],
  ["fee", "1,250.50 EUR", eur(125_050)],
  ["fee", "80,-", eur(8_000), EUR],
  ["fee", "£20", { fee: { amount: 2_000, currency: "GBP" } }, EUR],
  ["fee", "$20", { fee: { amount: 2_000, currency: "CAD" } }, { currency: "CAD" }],
  ["fee", "$20", /^the fee has currencies that differ: \$, EUR$/, EUR],
  ["fee", "$150 USD", usd(15_000), EUR],
  ["fee", "US$20", usd(2_000)],
  ["fee", "20 US$", usd(2_000), EUR],
  ["fee", "$20 EUR", /^the fee has currencies that differ: \$, EUR$/],
  ["fee", "€20 GBP", /^the fee has currencies that differ: €, GBP$/],
  ["fee", "20000 JPY", { fee: { amount: 20_000, currency: "JPY" } }],
  ["fee", "$20", /^the fee has no currency\. Set currency \(--currency\), such as EUR$/],
  ["fee", "150", /^the fee has no currency\. Set currency/],
  ["fee", "12,34,56", /^fee must be a decimal/, EUR],
  ["fee", "1.234 KWD", /^the three digits after the fee's only separator may be/],
  ["fee", "1.5 KWD", { fee: { amount: 1_500, currency: "KWD" } }],
  ["fee", "free", /^fee must be a decimal, such as 150 or 150\.00/, EUR],
  ["fee", "99999999999", /^fee\.amount must be an integer from 0 to 1000000000$/, EUR],
  ["fee.amount", "2500", eur(2_500), EUR],
  ["fee.amount", "2.5", /^fee\.amount must be an integer from 0 to 1000000000$/, EUR],
  // Lists and texts.
  ["Breed", "Retriever, Labrador / Poodle", { breeds: ["Retriever, Labrador", "Poodle"] }],
  [
    "PrimaryBreed",
    "Australian Cattle Dog / Blue Heeler",
    { breeds: ["Australian Cattle Dog / Blue Heeler"] },
  ],
  ["primaryColor", "Tricolor (Brown, Black, & White)", { colors: ["Tricolor (Brown, Black, & White)"] }],
  ["Rasse", "a/b/c", /^breeds must be a list of at most 2,/],
  ["Farbe", "schwarz, weiß", { colors: ["schwarz", "weiß"] }],
  ["tags", "calm, shy; old", { tags: ["calm, shy", "old"] }],
  ["tags", " calm;; playful ;", { tags: ["calm", "playful"] }],
  ["tags", "[a", /^tags must be a list of at most 10, each item 1 to 40 /],
  ["tags", "[1]", /^tags must be a list/],
  ["breeds", '["a;b", "[c"]', { breeds: ["a;b", "[c"] }],
  ["breeds", "a;b;c", /^breeds must be a list of at most 2,/],
  ["colors", "[]", { colors: [] }],
  ["SHELTERCODE", " D2023001 ", { externalId: "D2023001" }],
  ["ANIMALCOMMENTS", " Calm ", { description: " Calm " }],
  ["description", "a\r\nb\rc", { description: "a\nb\nc" }],
  ["custom.microChip", "276 0981", { custom: { microChip: "276 0981" } }],
  ["custom.Chip", "1", {}],
  ["custom.chip", "x".repeat(501), /^custom\.chip must be 1 to 500 characters/],
];

for (const [heading, cell, expected, settings = {}] of CASES)
  test(`${heading}: ${JSON.stringify(cell.slice(0, 40))} ${JSON.stringify(settings)}`, () => {
    const quoted = cell.replaceAll('"', '""');
    const csv = readRows(`name|categoryId|${heading}\nRex|1|"${quoted}"\n`, { delimiter: "|", settings });
    const json = JSON.stringify({ name: "Rex", categoryId: 1, [heading]: cell });
    for (const [row] of [csv, readRows(json, { format: "ndjson", settings })]) {
      const { pet, problems } = row ?? assert.fail("no row");
      if (expected instanceof RegExp) {
        assert.match(problems[0]?.message ?? "", expected);
        assert.equal(problems[0]?.heading, heading);
        assert.equal(problems[0]?.value?.slice(0, 99), cell.slice(0, 99));
      } else {
        assert.deepEqual(problems, []);
        assert.deepEqual(prepareImported(pet).profile, expected);
      }
    }
  });

const STATUSES: Record<string, string> = {
  A: "available",
  Adoptable: "available",
  verfügbar: "available",
  H: "pending",
  Hold: "pending",
  Reserved: "pending",
  reserviert: "pending",
  Adopted: "sold",
  X: "sold",
  vermittelt: "sold",
};
for (const [cell, status] of Object.entries(STATUSES))
  test(`Status: "${cell}" is ${status}`, () => {
    const [row] = readRows(`name,categoryId,Status\nRex,1,${cell}\n`);
    assert.equal(row?.pet.status, status);
  });

test("a status that fits nothing is a problem with its value and what is allowed", () => {
  const [row] = readRows("name,Status\nRex,Quarantine\n");
  assert.deepEqual(row?.problems, [
    { heading: "Status", value: "Quarantine", message: "status must be one of available, pending, sold" },
  ]);
});

const bornOf = (text: string, settings?: Partial<ImportSettings>) =>
  readRows(text, settings === undefined ? {} : { settings }).map(
    ({ pet, problems }) => pet.profile?.bornOn ?? problems[0]?.message,
  );

test("the order of dates is decided for each column by all its cells", () => {
  const csv = "born,dob,intake date\n";
  const rows = readRows(`${csv}x,4/1/2023,1/4/2023\nx,4/25/2023,25/4/2023\n`);
  assert.deepEqual(
    rows.map(({ pet }) => pet.profile),
    [
      { bornOn: "2023-04-01", arrivedOn: "2023-04-01" },
      { bornOn: "2023-04-25", arrivedOn: "2023-04-25" },
    ],
  );
});

test("every date with slashes of a column that fits two orders, or none, is a problem", () => {
  const ambiguous = /^the column's dates have either the day or the month first\. Set dateOrder/;
  const [one, other, iso, dots] = bornOf("dob\n4/1/2023\n5/5/2023\n2023-04-01\n1.4.2023\n");
  for (const problem of [one, other]) assert.match(problem ?? "", ambiguous);
  assert.deepEqual([iso, dots], ["2023-04-01", "2023-04-01"]);
  for (const problem of bornOf("dob\n25/4/2023\n4/25/2023\n"))
    assert.match(problem ?? "", /the day first in some cells and the month first in others\. Set dateOrder/);
  assert.deepEqual(bornOf("dob\n25/4/2023\n4/25/2023\n", DMY), [
    "2023-04-25",
    "the date is not valid with the day first. Check dateOrder (--date-order)",
  ]);
});

test("a date that fits no order decides nothing", () => {
  assert.deepEqual(bornOf("dob\n99/99/2023\n25/4/2023\n"), [
    "bornOn must be a date, such as 2030-01-31",
    "2023-04-25",
  ]);
});

test("a date of birth counts more than an age", () => {
  const [row, other] = readRows("dob,age\n2020-01-01,3 years\n,3 years\n");
  const profileOf = (found = row) => prepareImported({ ...found?.pet, name: "Rex", categoryId: 1n }).profile;
  assert.deepEqual(profileOf(), { bornOn: "2020-01-01" });
  assert.deepEqual(profileOf(other), born("2023-11-18"));
});

test("an empty cell is no change, null in NDJSON removes a member, and an empty description is one", () => {
  const [row] = readRows("externalId,name,tags,dob,description,goodWith.cats\nA, ,,,  ,\n");
  assert.deepEqual([row?.pet, row?.problems], [{ profile: { externalId: "A" } }, []]);
  const removed = { tags: null, fee: null, custom: null };
  const profile = { externalId: "A", ...removed, goodWith: null, description: "", coat: " " };
  const [json] = readRows(JSON.stringify({ name: "", profile }), { format: "ndjson" });
  const goodWith = { children: null, dogs: null, cats: null };
  assert.deepEqual(json?.pet, {
    profile: { externalId: "A", ...removed, goodWith, description: "" },
  });
});

test("a fee takes its currency from its own column before the setting", () => {
  const read = (text: string) => readRows(text, { settings: EUR }).map(({ pet }) => pet.profile?.fee);
  assert.deepEqual(read("fee,currency\n10,usd\n10,\n,usd\n"), [
    { amount: 1_000, currency: "USD" },
    { amount: 1_000, currency: "EUR" },
    undefined,
  ]);
});

test("a fee with another currency than its own column is a problem", () => {
  const rows = readRows("fee,currency\n$20,EUR\n20 €,USD\n$20,CAD\n20 €,eur\n");
  assert.deepEqual(
    rows.map(({ pet, problems }) => problems[0]?.message ?? pet.profile?.fee),
    [
      "the fee has currencies that differ: $, EUR",
      "the fee has currencies that differ: €, USD",
      { amount: 2_000, currency: "CAD" },
      { amount: 2_000, currency: "EUR" },
    ],
  );
});

test("a fee that is a number in NDJSON has at most the decimals of its currency", () => {
  const [row, other] = readRows('{"name":"Rex","fee":150.5}\n{"name":"Mia","fee":150.005}', {
    format: "ndjson",
    settings: EUR,
  });
  assert.deepEqual(row?.pet.profile, eur(15_050));
  assert.match(other?.problems[0]?.message ?? "", /may be thousands or decimals/);
});

test("a row that spans lines has the line on which it begins, and says where it ends", () => {
  const rows = readRows('name,sex\n"Rex\nII",m\n"a\n\nb",x\nMia,x\n');
  assert.deepEqual(
    rows.map(({ line, problems }) => [line, problems.map(({ message }) => message).join("; ")]),
    [
      [2, `${NAME_RULE} (the row ends on line 3)`],
      [4, `${NAME_RULE} (the row ends on line 6); ${SEX_RULE} (the row ends on line 6)`],
      [7, SEX_RULE],
    ],
  );
});
