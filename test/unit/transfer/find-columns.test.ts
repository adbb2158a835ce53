// Headings: which member each means, whatever its case, and how settings change it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCsvText } from "../../../src/transfer/formats/csv-text.ts";
import { type Column, findColumns, MEMBERS } from "../../../src/transfer/formats/find-columns.ts";

function membersOf(headings: string[], options: Partial<Parameters<typeof findColumns>[1]> = {}) {
  const columns = findColumns(headings, { map: {}, ...options });
  return Object.fromEntries(columns.map(({ heading, member }) => [heading, member]));
}

/** One heading at a time, as an export of the program or a person writes it. */
const RECOGNISED: Record<string, string> = {
  ANIMALNAME: "name",
  SHELTERCODE: "externalId",
  SPECIESNAME: "species",
  BREEDNAME: "breeds",
  SEX: "sex",
  DATEOFBIRTH: "bornOn",
  NEUTERED: "neutered",
  DATEBROUGHTIN: "arrivedOn",
  ANIMALCOMMENTS: "description",
  AnimalName: "name",
  PrimaryBreed: "breeds",
  SecondaryBreed: "breeds",
  Desc: "description",
  Type: "species",
  Shots: "vaccinated",
  Altered: "neutered",
  NoDogs: "goodWith.dogs",
  NoCats: "goodWith.cats",
  NoKids: "goodWith.children",
  Housetrained: "houseTrained",
  specialNeeds: "specialNeeds",
  Mix: "mixed",
  arrival_date: "arrivedOn",
  birth_date: "bornOn",
  primaryColor: "colors",
  secondaryColor: "colors",
  tertiaryColor: "colors",
  coat_length: "coat",
  adoption_fee: "fee",
  "Animal ID": "externalId",
  "Date Of Birth": "bornOn",
  "Intake Date": "arrivedOn",
  "Animal Type": "species",
  "Size Group": "size",
  Tiername: "name",
  Tierart: "species",
  Rasse: "breeds",
  Geschlecht: "sex",
  Geburtsdatum: "bornOn",
  Kastriert: "neutered",
  Geimpft: "vaccinated",
  Größe: "size",
  "Gro\u0308ße": "size",
  Farbe: "colors",
  Beschreibung: "description",
  Schutzgebühr: "fee",
  Gebühr: "fee",
  Aufnahmedatum: "arrivedOn",
  Eingangsdatum: "arrivedOn",
  Status: "status",
  shelterId: "shelterId",
  "Tierheim-Nr.": "shelterId",
  "Shelter Name": "shelterName",
  " date-of_Birth ": "bornOn",
  "profile.bornOn": "bornOn",
  "custom.microChip": "custom.microChip",
  "profile.custom.kennel": "custom.kennel",
};
for (const [heading, member] of Object.entries(RECOGNISED))
  test(`${JSON.stringify(heading)} is ${member}`, () => {
    assert.deepEqual(membersOf([heading]), { [heading]: member });
  });

test("headings with another or a private meaning are not recognised", () => {
  assert.deepEqual(membersOf(["shelter", "Tierheim", "Notes", "Nr."]), {});
});

test("the columns of an export are recognised by their own names, but not id and photos", () => {
  const { head } = createCsvText({ excel: true, customNames: ["chip"] });
  const headings = head.replace("\uFEFF", "").trim().split(",");
  const read = headings.filter((heading) => heading !== "id" && heading !== "photos");
  assert.deepEqual(membersOf(headings), Object.fromEntries(read.map((heading) => [heading, heading])));
  const others = MEMBERS.filter((member) => !read.includes(member));
  assert.deepEqual(others, ["fee", "age"], "everything else that is read is exported");
});

test("ID is the externalId in files of other programs only, unless another column is", () => {
  assert.deepEqual(membersOf(["ID", "Name"]), { Name: "name" });
  assert.deepEqual(membersOf(["ID", "AnimalName"]), { ID: "externalId", AnimalName: "name" });
  assert.deepEqual(membersOf(["ID", "SHELTERCODE", "ANIMALNAME"]), {
    SHELTERCODE: "externalId",
    ANIMALNAME: "name",
  });
});

test("shelters of other programs are not ours", () => {
  const headings = ["AnimalName", "shelterId", "shelterName"];
  assert.deepEqual(membersOf(headings), { AnimalName: "name" });
  assert.deepEqual(membersOf(headings, { map: { shelterId: "shelterId" } }), {
    AnimalName: "name",
    shelterId: "shelterId",
  });
});

test("the name of a value is read before its number in another program's database", () => {
  assert.deepEqual(membersOf(["SEX", "SEXNAME", "SIZE", "SIZENAME", "ISGOODWITHCATS"]), {
    SEXNAME: "sex",
    SIZENAME: "size",
  });
});

test("map names headings, several for a list, ignores with null, and leaves others to be recognised", () => {
  const headings = ["A", "B", "Species", "Size"];
  const map = { name: "a", breeds: ["b", "A"], species: null };
  const columns = findColumns(headings, { map });
  const show = ({ member, heading }: Column) => `${member} ${heading}`;
  assert.deepEqual(columns.map(show), ["name A", "breeds B", "breeds A", "size Size"]);
  assert.deepEqual(membersOf(["Name", "Size"], { ignore: ["SIZE"] }), { Name: "name" });
});

const REFUSED: Record<string, [map: Record<string, string | string[]>, says: RegExp]> = {
  "a heading that the file does not have": [
    { name: "Tier" },
    /map\.name names "Tier", which the file does not have\. It has "Name", "name 2"/,
  ],
  "a member that no animal has": [{ weight: "Name" }, /map has "weight", but must have members/],
  "photos, which the service does not read": [{ photos: "Name" }, /map has "photos", but must have members/],
  "several headings of a member that is no list": [
    { description: ["Name", "name 2"] },
    /map\.description names several headings, but only breeds, colors, tags are read from several/,
  ],
  "a name of a custom member that is not allowed": [
    { "custom.Chip no": "Name" },
    /map has "custom\.Chip no"/,
  ],
};
for (const [what, [map, message]] of Object.entries(REFUSED))
  test(`map refuses ${what}`, () => {
    assert.throws(() => findColumns(["Name", "name 2"], { map }), { code: "invalid_parameter", message });
  });

test("columns with one item of a list are not split", () => {
  const separators = (headings: string[], map = {}) =>
    findColumns(headings, { map }).map((column) => column.separators);
  assert.deepEqual(separators(["PrimaryBreed", "secondaryColor"]), [";", ";"]);
  assert.deepEqual(separators(["Breed 1", "Colour", "Secondary Colour"]), [";", ";", ";"]);
  assert.deepEqual(separators(["A", "B"], { colors: ["A", "B"] }), [";", ";"]);
  assert.deepEqual(separators(["Breed", "Farbe"]), [";/", ";,/"]);
});

test("two columns with the same heading are refused if one is read", () => {
  assert.throws(() => membersOf(["Name", "NAME"]), {
    code: "invalid_file",
    message: /several columns "Name"/,
  });
  assert.deepEqual(membersOf(["Note", "note", "Name"]), { Name: "name" });
});
