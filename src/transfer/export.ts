// Exports the animals as they are at one moment, page by page.

import { openForCommand } from "../command-stores.ts";
import type { Config } from "../config.ts";
import type { Pet, PetStatus } from "../domain/pet.ts";
import { countPets, listPets } from "../storage/stores/pets.ts";
import type { Progress } from "./check-file.ts";
import { ANIMAL_TEXTS, type FileFormat } from "./files/animal-text.ts";

const PAGE_ROWS = 1_000;

interface ExportOptions {
  format: FileFormat;
  /** Undefined for animals in any status. */
  status: PetStatus | undefined;
  /** Resolves when more may be written. */
  write(text: string): Promise<void>;
  onProgress: Progress;
}

/** Resolves to the number of animals. */
export async function exportAnimals(config: Config, options: ExportOptions): Promise<number> {
  const { format, status, write, onProgress } = options;
  const { head, row } = ANIMAL_TEXTS[format];
  const { db, close } = await openForCommand(config, { create: false });
  try {
    return await db.snapshot(async (queries) => {
      const counts = await countPets(queries);
      const total = status === undefined ? counts.available + counts.pending + counts.sold : counts[status];
      if (head !== "") await write(head);
      let done = 0;
      let after: bigint | undefined;
      for (;;) {
        const page: Pet[] = await listPets(queries, { status }, { limit: PAGE_ROWS, after });
        if (page.length > 0) await write(page.map(row).join(""));
        done += page.length;
        onProgress(done, total, "animals");
        if (page.length < PAGE_ROWS) return done;
        after = page.at(-1)?.id;
      }
    });
  } finally {
    await close();
  }
}
