// Sample animals with profiles and drawings, the same on every day but for their dates.

import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { PetStatus } from "../domain/animals/pet.ts";
import { type Profile, reviseProfile } from "../domain/animals/profile.ts";
import { IMAGE_WIDTHS, type ProcessedImage } from "../domain/animals/stored-image.ts";
import { DAY_MS } from "../domain/basics/durations.ts";
import { dayOf } from "../domain/basics/time.ts";
import type { Sample } from "../transfer/sample.ts";

const FOLDER = new URL("../../sample/", import.meta.url);
const DRAWING_SIZE = { width: 1280, height: 960 };

/** One of `sample/animals.json`. */
interface SampleAnimal {
  name: string;
  category: string;
  status: PetStatus;
  drawing: string;
  alt: string;
  bornDaysAgo: number;
  arrivedDaysAgo: number;
  profile: Profile;
}

const STATUSES = "available available pending available sold available available".split(" ") as PetStatus[];
const NAMES: Record<"female" | "male", string[]> = {
  female:
    `Lotte Nala Mia Lilly Kira Emma Coco Bonnie Maja Frieda Zoe Kitty Penny Molly Tilda Ella Pixie Rosie Amy Trixi
    Lucy Socke Wilma`.split(/\s+/),
  male: `Bruno Max Charlie Oscar Balu Rocky Sam Felix Paul Toby Leo Anton Jack Carlo Buddy Simba Filou Hugo Murphy Benny
    Zorro Caruso Keks`.split(/\s+/),
};

/** After the first twelve, the animals repeat with other names, dates and statuses. */
export function makeSample(nowMs: number): Pick<Sample, "categories" | "makePet" | "readDrawing"> {
  const animals: SampleAnimal[] = JSON.parse(readFileSync(new URL("animals.json", FOLDER), "utf8"));
  const categories = [...new Set(animals.map(({ category }) => category))];
  return {
    categories: categories.map((name, index) => ({ id: BigInt(index + 1), name })),
    makePet(index) {
      const animal = pick(animals, index);
      const isFirst = index < animals.length;
      const name = isFirst ? animal.name : pick(NAMES[animal.profile.sex as "female" | "male"], index);
      return {
        name,
        categoryId: BigInt(categories.indexOf(animal.category) + 1),
        status: isFirst ? animal.status : pick(STATUSES, index),
        profile: completeProfile(animal, { name, round: Math.floor(index / animals.length), nowMs }),
        photo: { drawing: animal.drawing, alt: animal.alt },
      };
    },
    readDrawing,
  };
}

/** Rendered in all its widths by `sample/render.ts`: to convert the drawings here would take seconds. */
function readDrawing(name: string): ProcessedImage {
  const widths = IMAGE_WIDTHS.filter((width) => width <= DRAWING_SIZE.width);
  const variants = widths.map((width) => {
    const file = width === DRAWING_SIZE.width ? `${name}.webp` : `${name}-${width}.webp`;
    return { width, bytes: readFileSync(new URL(`drawings/${file}`, FOLDER)) };
  });
  const [{ bytes }] = variants as [ProcessedImage["variants"][number]];
  return { hash: hash("sha256", bytes), ...DRAWING_SIZE, variants };
}

/** Later rounds are some days older, and their texts have the other name. */
function completeProfile(
  { name: ownName, bornDaysAgo, arrivedDaysAgo, profile }: SampleAnimal,
  { name, round, nowMs }: { name: string; round: number; nowMs: number },
): Profile {
  return reviseProfile(profile, {
    bornOn: dayOf(nowMs - (bornDaysAgo + ((round * 11) % 90)) * DAY_MS),
    arrivedOn: dayOf(nowMs - (arrivedDaysAgo + ((round * 5) % 60)) * DAY_MS),
    description: profile.description?.replaceAll(ownName, name),
  });
}

function pick<T>(list: T[], index: number): T {
  return list[index % list.length] as T;
}
