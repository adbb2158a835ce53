// The columns of a file: which member of an animal each heading means, and how its cells are read.

import { CUSTOM_NAME } from "../../domain/animals/profile.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { findClosestName } from "../../tools/close-names.ts";
import { showList, showText } from "../../tools/shown-text.ts";
import { normaliseWord } from "./cell-values.ts";
import { invalidFile } from "./lines.ts";
import { type CellKind, PROFILE_KINDS, SEPARATOR } from "./profile-cells.ts";

/** Read only by commands that add photos: an export has addresses there. */
export const PHOTOS = "photos";
const CUSTOM = new RegExp(CUSTOM_NAME.replace("^", String.raw`^custom\.`));
/** NDJSON has the members of a profile in an object of this name. */
const PROFILE = "profile.";
/** In NDJSON, null here removes all custom members. */
const ALL_CUSTOM = "custom";

type Kind = CellKind | "status" | "fee" | "age" | "photos";

/** Every member that a file may have, in the order of an export; `custom.NAME` are further ones. */
const KINDS: Record<string, Kind> = {
  name: "text",
  categoryId: "integer",
  categoryName: "text",
  status: "status",
  ...PROFILE_KINDS,
  shelterId: "integer",
  shelterName: "text",
  fee: "fee",
  age: "age",
};
export const MEMBERS = Object.keys(KINDS);

/**
 * The headings of each member, normalised, in order of preference: our own names, English and German words, and the exports of
 * ASM3, Petfinder and Shelterluv. A list is read from one column after each "|".
 */
const HEADINGS: Record<string, string> = {
  name: "name animalname petname tiername",
  categoryId: "categoryid",
  categoryName: "categoryname category kategorie",
  status: "status adoptionstatus",
  externalId: "externalid sheltercode animalcode animalid tiernummer tiernr",
  species: "species speciesname animalspecies type animaltype tierart",
  breeds:
    "breeds | breedname1 animalbreed1 breed1 primarybreed breed breedname rasse | breedname2 animalbreed2 breed2 secondarybreed",
  mixed: "mixed mix crossbreed mischling",
  sex: "sexname sex animalsex gender geschlecht",
  bornOn: "bornon dateofbirth animaldob dob birthdate birthday geburtsdatum geboren geborenam",
  bornIsEstimated: "bornisestimated estimateddob",
  size: "sizename size animalsize sizegroup größe grösse groesse",
  colors:
    "colors | primarycolor primarycolour basecolourname animalcolor color colour farbe | secondarycolor secondarycolour | tertiarycolor tertiarycolour",
  coat: "coat coattypename coattype coatlength hairlength fell felllänge",
  "goodWith.children":
    "goodwith.children isgoodwithchildrenname goodwithchildren goodwithkids okwithkids kinderlieb verträglichmitkindern",
  "goodWith.dogs": "goodwith.dogs isgoodwithdogsname goodwithdogs okwithdogs verträglichmithunden",
  "goodWith.cats": "goodwith.cats isgoodwithcatsname goodwithcats okwithcats verträglichmitkatzen",
  neutered: "neutered animalneutered altered spayed spayedneutered kastriert",
  vaccinated: "vaccinated shots shotscurrent geimpft",
  houseTrained: "housetrained ishousetrainedname animalhousetrained housebroken stubenrein",
  specialNeeds: "specialneeds hasspecialneeds",
  description: "description animalcomments animaldescription desc beschreibung",
  "fee.amount": "fee.amount",
  "fee.currency": "fee.currency currency währung",
  arrivedOn: "arrivedon datebroughtin animalentrydate arrivaldate intakedate aufnahmedatum eingangsdatum",
  videoUrl: "videourl websitevideourl youtubevideourl",
  tags: "tags schlagworte",
  shelterId: "shelterid tierheimnr tierheimnr. tierheimnummer tierheimid",
  shelterName: "sheltername tierheimname",
  fee: "fee adoptionfee schutzgebühr schutzgebuehr gebühr gebuehr",
  age: "age animalage alter",
  [PHOTOS]: "photos",
};

/** Columns that say what an animal is not good with: only a yes is read. */
const OPPOSITES: Record<string, string> = {
  nodogs: "goodWith.dogs",
  nocats: "goodWith.cats",
  nokids: "goodWith.children",
};

/** Headings of other programs. In their files, `id` is the externalId; our own exports have an `id` that is not read. */
const FOREIGN = ["animalname", "primarybreed", "internalid"];
const FOREIGN_ID = "id";
const SHELTER = ["shelterId", "shelterName"];

/** Further separators of list items in columns that our exports do not have, such as "Black/White". */
const SEPARATORS: Record<string, string> = { breeds: "/", colors: ",/", tags: "," };
/** Columns with one item of a list: a breed such as "Australian Cattle Dog / Blue Heeler" stays whole. */
const ONE_ITEM = /^(?:primary|secondary|tertiary)|\d$/;

export interface Column {
  index: number;
  heading: string;
  member: string;
  kind: Kind;
  /** Only a yes is read, as no. */
  isOpposite: boolean;
  /** Characters that separate the items of a list. */
  separators: string;
}

interface ColumnOptions {
  map: Record<string, string | string[] | null>;
  /** Headings that are not recognised. */
  ignore?: readonly string[] | undefined;
  /** Whether photos are read. */
  photos?: boolean | undefined;
}

/** Throws `invalid_parameter` if `map` does not fit the file, `invalid_file` for a heading twice. */
export function findColumns(headings: readonly string[], options: ColumnOptions): Column[] {
  const { map, ignore = [], photos = false } = options;
  const byName = indexHeadings(headings);
  const requireIndex = (heading: string, setting: string) => {
    const index = byName.get(normaliseHeading(heading));
    if (index !== undefined) return index;
    const has = showList(headings.map((each) => each.trim()));
    throw invalidSetting(
      `${setting} names ${showText(heading)}, which the file does not have. It has ${has}`,
    );
  };
  const ignored = new Set(ignore.map((heading) => requireIndex(heading, "ignore")));
  const free = new Map([...byName].filter(([, index]) => !ignored.has(index)));
  const found: Column[] = [];
  const isForeign = FOREIGN.some((name) => byName.has(name));
  const add = (member: string, index: number) =>
    found.push(toColumn(member, index, { heading: headings[index] as string, isForeign }));
  for (const [member, given] of Object.entries(map)) {
    requireMember(member, photos);
    const names = given === null ? [] : [given].flat();
    if (names.length > 1 && !isList(member))
      throw invalidSetting(
        `map.${member} names several headings, but only ${MEMBERS.filter(isList).join(", ")} are read from several`,
      );
    for (const heading of names) add(member, requireIndex(heading, `map.${member}`));
  }
  const isOwn = (member: string) => !Object.hasOwn(map, member);
  for (const member of [...MEMBERS, ...(photos ? [PHOTOS] : [])].filter(isOwn))
    for (const name of recognise(member, free, isForeign)) add(member, free.get(name) as number);
  for (const [name, index] of free) {
    const custom = customName(headings[index] as string);
    const opposite = OPPOSITES[name];
    if (custom !== undefined && isOwn(custom)) add(custom, index);
    if (headings[index] === `${PROFILE}${ALL_CUSTOM}`) add(ALL_CUSTOM, index);
    const isFree =
      opposite !== undefined && isOwn(opposite) && !found.some(({ member }) => member === opposite);
    if (isFree) add(opposite, index);
  }
  refuseTwice(headings, found);
  // Several columns of a list have one item each.
  return found.map((column) => {
    const isOnly = found.every(({ member, index }) => member !== column.member || index === column.index);
    return isOnly ? column : { ...column, separators: SEPARATOR };
  });
}

/** The normalised headings of a member that the file has. */
function recognise(member: string, free: ReadonlyMap<string, number>, isForeign: boolean): string[] {
  // Other programs number shelters in their own way.
  if (isForeign && SHELTER.includes(member)) return [];
  const own = member.toLowerCase();
  const slots = (HEADINGS[member] ?? "").split("|").map((slot) => slot.trim().split(" "));
  // A column with all items is enough.
  if (free.has(own) && slots.length > 1) return [own];
  if (member === "externalId" && isForeign) slots[0]?.push(FOREIGN_ID);
  return slots.flatMap((names) => names.find((name) => free.has(name)) ?? []);
}

function isList(member: string): boolean {
  return kindOf(member) === "list" || member === PHOTOS;
}

function kindOf(member: string): Kind {
  if (member === PHOTOS) return "photos";
  return KINDS[member] ?? "text";
}

function toColumn(
  member: string,
  index: number,
  { heading, isForeign }: { heading: string; isForeign: boolean },
): Column {
  const name = normaliseHeading(heading);
  const isSplit = !(name === member && !isForeign) && !ONE_ITEM.test(name);
  return {
    index,
    heading,
    member,
    kind: kindOf(member),
    isOpposite: OPPOSITES[name] === member,
    separators: `${SEPARATOR}${isSplit ? (SEPARATORS[member] ?? "") : ""}`,
  };
}

/** The names of custom members keep their case. */
function normaliseHeading(heading: string): string {
  const custom = customName(heading);
  if (custom !== undefined) return custom;
  const name = normaliseWord(heading);
  return name.startsWith(PROFILE) ? name.slice(PROFILE.length) : name;
}

/** The first of equal headings. */
function indexHeadings(headings: readonly string[]): Map<string, number> {
  const byName = new Map<string, number>();
  for (const [index, heading] of headings.entries()) {
    const name = normaliseHeading(heading);
    if (name !== "" && !byName.has(name)) byName.set(name, index);
  }
  return byName;
}

/** The member of a heading such as `custom.chip`. */
function customName(heading: string): string | undefined {
  const name = heading.trim();
  const own = name.toLowerCase().startsWith(PROFILE) ? name.slice(PROFILE.length) : name;
  return CUSTOM.test(own) ? own : undefined;
}

function requireMember(member: string, photos: boolean): void {
  if (Object.hasOwn(KINDS, member) || CUSTOM.test(member) || (photos && member === PHOTOS)) return;
  throw invalidSetting(
    `map has ${showText(member)}, but must have members of an animal: ${MEMBERS.join(", ")}, custom.NAME`,
  );
}

export function invalidSetting(problem: string): ServiceError {
  return new ServiceError("invalid_parameter", { message: `The settings do not fit: ${problem}.` });
}

function refuseTwice(headings: readonly string[], columns: Column[]): void {
  const names = headings.map(normaliseHeading);
  for (const { heading } of columns) {
    const name = normaliseHeading(heading);
    if (names.indexOf(name) !== names.lastIndexOf(name))
      throw invalidFile(`The file has several columns ${showText(heading)}. Rename one of them.`);
  }
}

/** A member with a similar name that the file does not have. A member of the same name is ignored on purpose. */
export function suggestMember(heading: string, columns: readonly Column[]): string | undefined {
  const name = normaliseHeading(heading);
  const absent = MEMBERS.filter((member) => columns.every((column) => column.member !== member));
  const meant = findClosestName(name, absent);
  return meant?.toLowerCase() === name ? undefined : meant;
}
