// Adds sample animals in batches, and names for their categories.

import { openForCommand } from "../command-stores.ts";
import type { Config } from "../config.ts";
import type { Category } from "../domain/category.ts";
import { systemClock } from "../domain/clock.ts";
import type { Pet } from "../domain/pet.ts";
import { readNewestNumber } from "../storage/stores/history.ts";
import { addPets } from "../storage/stores/pets.ts";
import { createPace } from "./pace.ts";
import type { Progress } from "./progress.ts";

interface Sample {
  pets: Array<Omit<Pet, "id">>;
  categories: Category[];
}

/** Creates a missing store. Resolves to the ids of the first and the last animal. */
export async function addSample(
  config: Config,
  { pets, categories }: Sample,
  onProgress: Progress,
): Promise<{ firstId: bigint; lastId: bigint }> {
  const { db, gate, stores, close } = await openForCommand(config, { create: true });
  try {
    for (const category of categories) {
      // An existing name is kept.
      const [known] = await stores.categories.list({ limit: 1, after: category.id - 1n });
      const stamp = { atMs: systemClock.nowMs() };
      if (known?.id !== category.id) await stores.categories.put(category, stamp);
    }
    const pace = createPace(db);
    const ids: bigint[] = [];
    for (let from = 0; from < pets.length; ) {
      const part = pets.slice(from, from + pace.rows());
      const stamp = { atMs: systemClock.nowMs() };
      const { added, version } = await pace.transact(part.length, async (tx) => ({
        added: await addPets(tx, part, stamp),
        version: await readNewestNumber(tx),
      }));
      ids.push(...added);
      await gate?.publishPetsVersion(version);
      from += part.length;
      onProgress(from, pets.length, "animals");
    }
    return { firstId: ids[0] as bigint, lastId: ids.at(-1) as bigint };
  } finally {
    await close();
  }
}
