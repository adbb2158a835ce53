// The form of an aggregator's file: its columns, and the words that several aggregators share.

import type { PetStatus } from "../../domain/animals/pet.ts";
import type { AgeGroup, Profile, Species } from "../../domain/animals/profile.ts";
import { writeFee } from "../formats/fee-values.ts";

/** An animal that can be expressed. */
export interface ExportedAnimal extends Profile {
  id: bigint;
  name: string;
  status: PetStatus;
  species: Species;
  sex: "male" | "female";
  breeds: string[];
  colors: string[];
  goodWith: NonNullable<Profile["goodWith"]>;
  ageGroup: AgeGroup | undefined;
  /** The absolute address of a photo, counted from 1. */
  photoUrl(number: number): string | undefined;
}

/** Undefined for an empty cell. */
export type Cell = (animal: ExportedAnimal) => string | undefined;

export interface AggregatorFormat {
  /** The name that people know. */
  title: string;
  /** The name of the file in the folder of an export. */
  file: string;
  statuses: readonly PetStatus[];
  hasHead: boolean;
  /** Whether texts may have several lines. Otherwise line breaks become spaces. */
  hasLines: boolean;
  /** Longer names cannot be expressed. */
  nameMax?: number;
  /** In the order of the file. */
  columns: Record<string, Cell>;
}

/** Cells that a profile has no value for. */
export const UNKNOWN: Cell = () => undefined;

const TYPES: Record<Species, string> = {
  dog: "Dog",
  cat: "Cat",
  rabbit: "Rabbit",
  bird: "Bird",
  horse: "Horse",
  farm_animal: "Barnyard",
  small_animal: "Small & Furry",
  reptile: "Scales, Fins & Other",
  other: "Scales, Fins & Other",
};
const SIZE_LETTERS = { small: "S", medium: "M", large: "L", extra_large: "XL" };
const SEX_LETTERS = { male: "M", female: "F" };

export const typeOf: Cell = ({ species }) => TYPES[species];
export const ageOf: Cell = ({ ageGroup }) => capitalise(ageGroup);
export const coatOf: Cell = ({ coat }) => capitalise(coat);
export const sexLetterOf: Cell = ({ sex }) => SEX_LETTERS[sex];
export const sizeLetterOf: Cell = ({ size }) => size && SIZE_LETTERS[size];
export const birthDateOf: Cell = ({ bornOn }) => writeDate(bornOn);
export const feeOf: Cell = ({ fee }) => fee && writeFee(fee);

export function photo(number: number): Cell {
  return ({ photoUrl }) => photoUrl(number);
}

/** "2024-05-31" → "05/31/2024" */
export function writeDate(day: string | undefined): string | undefined {
  return day && `${day.slice(5, 7)}/${day.slice(8)}/${day.slice(0, 4)}`;
}

export function capitalise(word: string | undefined): string | undefined {
  return word && `${word[0]?.toUpperCase()}${word.slice(1)}`;
}
