// Adds the sample animals of the service to an empty store, with profiles and drawings.

import {
  AnimalStoreError,
  type Int64,
  type PetStatus,
  type ProfilePatch,
} from "../../../../client/src/client.ts";
import { DAY_MS } from "../../../../src/domain/basics/durations.ts";
import { addressOf } from "../../shared/state/addresses.ts";
import { firstFreeNumber, readCategories } from "../../shared/state/category-names.ts";
import { ask } from "../../shared/state/session.ts";
import { language, t } from "../../shared/texts/language.ts";

/** One of `sample/animals.json`. */
interface SampleAnimal {
  name: string;
  category: string;
  status: PetStatus;
  drawing: string;
  alt: string;
  bornDaysAgo: number;
  arrivedDaysAgo: number;
  profile: ProfilePatch;
}

/** Its texts in another language, from `sample/animals-de.json`. */
type SampleTexts = Pick<SampleAnimal, "category" | "alt" | "profile">;

export interface AddedSamples {
  animals: number;
  /** False where the service cannot process images. */
  hasPictures: boolean;
}

let running: Promise<AddedSamples> | undefined;

/** A second call while the first runs returns the same promise. */
export function loadSamples(): Promise<AddedSamples> {
  running ??= addSamples().finally(() => {
    running = undefined;
  });
  return running;
}

/** In sequence, so that the ids follow the order of the file. */
async function addSamples(): Promise<AddedSamples> {
  const animals = await readSamples();
  const ids = await nameCategories([...new Set(animals.map(({ category }) => category))]);
  const added: Array<[petId: Int64, animal: SampleAnimal]> = [];
  for (const animal of animals) {
    const { name, category, status } = animal;
    const categoryId = ids.get(category) as Int64;
    const { id } = await ask((client) => client.createPet({ name, categoryId, status }));
    await ask((client) => client.updateProfile(id, datedProfile(animal)));
    added.push([id, animal]);
  }
  return { animals: animals.length, hasPictures: await addDrawings(added) };
}

/** In the language of the console: its user will show them to colleagues. */
async function readSamples(): Promise<SampleAnimal[]> {
  const animals: SampleAnimal[] = await (await readFile("animals.json")).json();
  if (language.peek() === "en") return animals;
  const texts: Record<string, SampleTexts> = await (await readFile(`animals-${language.peek()}.json`)).json();
  return animals.map((animal) => {
    const own = texts[animal.name];
    return { ...animal, ...own, profile: { ...animal.profile, ...own?.profile } };
  });
}

/** Two at a time, as many as the service processes. Resolves to false where it cannot process images. */
async function addDrawings(added: Array<[petId: Int64, animal: SampleAnimal]>): Promise<boolean> {
  const left = added.values();
  let hasPictures = true;
  async function addNext(): Promise<void> {
    for (const [petId, animal] of left) {
      if (!hasPictures) return;
      if (!(await addDrawing(petId, animal))) hasPictures = false;
    }
  }
  await Promise.all([addNext(), addNext()]);
  return hasPictures;
}

function datedProfile({ profile, bornDaysAgo, arrivedDaysAgo }: SampleAnimal): ProfilePatch {
  return { ...profile, bornOn: daysAgo(bornDaysAgo), arrivedOn: daysAgo(arrivedDaysAgo) };
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

async function addDrawing(petId: Int64, { drawing, alt }: SampleAnimal): Promise<boolean> {
  const image = await (await readFile(`${drawing}.webp`)).blob();
  try {
    await ask((client) => client.addPhoto(petId, image, { alt }));
    return true;
  } catch (error) {
    if (error instanceof AnimalStoreError && error.code === "unavailable") return false;
    throw error;
  }
}

async function readFile(name: string): Promise<Response> {
  const response = await fetch(addressOf(`console/sample/${name}`));
  if (!response.ok) throw new Error(t().noAnimals.samplesMissing);
  return response;
}

/** Uses existing categories with the same name, and renames none. */
async function nameCategories(wanted: string[]): Promise<Map<string, Int64>> {
  const { items } = await readCategories({});
  for (const name of wanted.filter((each) => !items.some((known) => known.name === each)))
    items.push(await ask((client) => client.putCategory(firstFreeNumber(items), { name })));
  return new Map(items.map(({ name, id }) => [name, id]));
}
