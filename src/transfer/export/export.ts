// Exports the animals with their profiles and the addresses of their photos as they are at one moment, page by page.

import { withDatabase } from "../../command-stores.ts";
import type { Config } from "../../config/config.ts";
import type { PetStatus } from "../../domain/animals/pet.ts";
import { countPets } from "../../storage/stores/animals/pets.ts";
import { listCustomNames } from "../../storage/stores/animals/profile-columns.ts";
import { createAnimalText, type TextOptions } from "../formats/file-records.ts";
import type { Progress } from "../progress.ts";
import { readPages } from "./pages.ts";

const PAGE_ROWS = 1_000;

interface ExportOptions extends Omit<TextOptions, "publicUrl" | "customNames"> {
  /** Undefined for animals in any status. */
  status: PetStatus | undefined;
  /** Resolves when more may be written. */
  write(text: string): Promise<void>;
  onProgress: Progress;
}

/** Resolves to the number of animals. */
export async function exportAnimals(config: Config, options: ExportOptions): Promise<number> {
  const { status, write, onProgress } = options;
  // Without PUBLIC_URL, only paths: a command does not know where the service listens.
  const publicUrl = config.publicUrl ?? "";
  return withDatabase(config, ({ db }) =>
    db.snapshot(async (queries) => {
      const counts = await countPets(queries);
      const total = status === undefined ? counts.available + counts.pending + counts.sold : counts[status];
      const customNames = options.format === "csv" ? await listCustomNames(queries, { status }) : [];
      const { head, row } = createAnimalText({ ...options, publicUrl, customNames });
      if (head !== "") await write(head);
      let done = 0;
      for await (const page of readPages(queries, { statuses: status && [status] }, PAGE_ROWS)) {
        await write(page.map(row).join(""));
        done += page.length;
        onProgress(done, total, "animals");
      }
      return done;
    }),
  );
}
