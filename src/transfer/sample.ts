// Adds sample animals with profiles in batches, names for their categories, and photos.

import { type OpenedForCommand, withStores } from "../command-stores.ts";
import type { Config } from "../config/config.ts";
import type { Category } from "../domain/animals/category.ts";
import type { Pet } from "../domain/animals/pet.ts";
import type { Profile } from "../domain/animals/profile.ts";
import type { ProcessedImage } from "../domain/animals/stored-image.ts";
import { systemClock } from "../domain/basics/clock.ts";
import { readNewestNumber } from "../storage/stores/animals/history.ts";
import { addPets } from "../storage/stores/animals/new-pets.ts";
import { ROWS_PER_TRANSACTION, transactAndPause } from "./import/pace.ts";
import type { Progress } from "./progress.ts";

interface SamplePet extends Omit<Pet, "id"> {
  profile: Profile;
  photo: { drawing: string; alt: string };
}

export interface Sample {
  count: number;
  /** One at a time: a million of them would not fit into memory. */
  makePet(index: number): SamplePet;
  categories: Category[];
  /** How many of the animals get their photo, which is a transaction of its own. */
  pictured: number;
  readDrawing(name: string): ProcessedImage;
}

/** Creates a missing store. Resolves to the ids of the first and the last animal. */
export function addSample(config: Config, sample: Sample, onProgress: Progress) {
  const add = async (opened: OpenedForCommand) => {
    await nameCategories(opened, sample.categories);
    const ids = await addAnimals(opened, sample, onProgress);
    await addPhotos(opened, sample, ids, onProgress);
    return { firstId: ids[0] as bigint, lastId: ids.at(-1) as bigint };
  };
  return withStores(config, add, { create: true });
}

/** An existing name is kept. */
async function nameCategories({ stores }: OpenedForCommand, categories: Category[]): Promise<void> {
  for (const category of categories) {
    const [known] = await stores.categories.list({ limit: 1, after: category.id - 1n });
    if (known?.id !== category.id) await stores.categories.put(category, originNow());
  }
}

async function addAnimals(
  { db, gate }: OpenedForCommand,
  { count, makePet }: Sample,
  onProgress: Progress,
): Promise<bigint[]> {
  const ids: bigint[] = [];
  while (ids.length < count) {
    const length = Math.min(ROWS_PER_TRANSACTION, count - ids.length);
    const part = Array.from({ length }, (_, index) => makePet(ids.length + index));
    const { added, version } = await transactAndPause(db, async (tx) => ({
      added: await addPets(tx, part, originNow()),
      version: await readNewestNumber(tx),
    }));
    ids.push(...added);
    await gate?.publishPetsVersion(version);
    onProgress(ids.length, count, "animals");
  }
  return ids;
}

async function addPhotos(
  { stores }: OpenedForCommand,
  { count, makePet, pictured, readDrawing }: Sample,
  ids: bigint[],
  onProgress: Progress,
): Promise<void> {
  const total = Math.min(count, pictured);
  const images = new Map<string, ProcessedImage>();
  for (const [index, id] of ids.slice(0, total).entries()) {
    const { drawing, alt } = makePet(index).photo;
    const image = images.get(drawing) ?? readDrawing(drawing);
    images.set(drawing, image);
    await stores.photos.storeImage(id, image, systemClock.nowMs());
    await stores.photos.add(id, { hash: image.hash, alt }, originNow());
    onProgress(index + 1, total, "photos");
  }
}

function originNow() {
  return { atMs: systemClock.nowMs() };
}
