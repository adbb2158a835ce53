// The files of the part "import": the same animals without a profile, with one, and with the same bytes in a column that is ignored.

import { writeFileSync } from "node:fs";
import { commonWord } from "../data/listings.ts";

export const IMPORT_LANES = {
  plain: "without profiles",
  ignored: "with the same bytes in a column that is ignored",
  profiles: "with profiles",
} as const;
export type ImportLane = keyof typeof IMPORT_LANES;
export const IMPORT_LANE_NAMES = Object.keys(IMPORT_LANES) as ImportLane[];

const HEADS: Record<ImportLane, string> = {
  plain: "name,categoryId,status",
  ignored: "name,categoryId,status,remark",
  profiles:
    "name,categoryId,status,species,breeds,sex,size,bornOn,colors,goodWith.children,goodWith.dogs,goodWith.cats,description",
};
const SPECIES = ["dog", "cat", "rabbit"];
const SIZES = ["small", "medium", "large"];
const STATUSES = ["available", "available", "pending", "sold"];
const DESCRIPTION_WORDS = 36;

export function writeImportFile(path: string, lane: ImportLane, rows: number): void {
  const lines = Array.from({ length: rows }, (_, index) => {
    const animal = `Animal ${index},${index % 100},${STATUSES[index % 4]}`;
    if (lane === "plain") return animal;
    const profile = profileOf(index).join(",");
    return lane === "profiles" ? `${animal},${profile}` : `${animal},"${profile.replaceAll('"', "'")}"`;
  });
  writeFileSync(path, `${[HEADS[lane], ...lines].join("\n")}\n`);
}

function profileOf(index: number): Array<string | undefined> {
  const words = Array.from({ length: DESCRIPTION_WORDS }, (_, k) =>
    commonWord((index * 31 + k * 17) % 2_000),
  );
  return [
    ...[SPECIES[index % 3], commonWord(index % 50), index % 2 === 0 ? "male" : "female", SIZES[index % 3]],
    ...[`2020-0${1 + (index % 9)}-11`, "brown; white", "yes", "unknown", "no", `"${words.join(" ")}."`],
  ];
}
