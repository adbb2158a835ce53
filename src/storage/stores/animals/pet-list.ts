// The list of animals in SQL, one page at a time.

import { PET_SHAPE } from "../../../domain/animals/json-shapes.ts";
import type { PetStatus } from "../../../domain/animals/pet.ts";
import type { PetPageJson } from "../../../domain/animals/pet-store.ts";
import { INT64_MAX } from "../../../domain/basics/int64.ts";
import type { Page } from "../../../domain/basics/page.ts";
import type { Database } from "../../database.ts";
import { selectPage, selectPages, shapeSql, toPage } from "../../json-pages.ts";
import { createStatement } from "../../statements.ts";

const SHAPE_COLUMNS = { id: "id", name: "name", categoryId: "category_id", status: "status" };
const LIST_ALL = createStatement({
  name: "listPets",
  values: "after_id bigint, page_limit bigint",
  one: pageOf("sqlite", "WHERE id > $1 ORDER BY id LIMIT $2"),
  many: (input) =>
    selectPages(input, pageOf("postgres", "WHERE id > input.after_id ORDER BY id LIMIT input.page_limit")),
});
const LIST_STATUS = createStatement({
  name: "listPetsOfStatus",
  values: "after_id bigint, page_limit bigint, wanted text",
  one: pageOf("sqlite", "WHERE status = $3 AND id > $1 ORDER BY id LIMIT $2"),
  // With `status = wanted`, PostgreSQL may read all animals in the order of their ids until it finds enough of the status.
  many: (input) =>
    selectPages(
      input,
      pageOf(
        "postgres",
        `WHERE (status, id) > (wanted, input.after_id) AND (status, id) <= (wanted, ${INT64_MAX})
         ORDER BY status, id LIMIT input.page_limit`,
      ),
    ),
});

/** In ascending order of id. */
export async function listPets(
  db: Database,
  { status }: { status?: PetStatus | undefined },
  { limit, after = 0n }: Page,
): Promise<PetPageJson> {
  const row = await (status === undefined
    ? db.batched(LIST_ALL, [after, limit + 1])
    : db.batched(LIST_STATUS, [after, limit + 1, status]));
  return toPage(row, limit);
}

function pageOf(engine: Database["engine"], condition: string): string {
  return selectPage(shapeSql(engine, PET_SHAPE, SHAPE_COLUMNS), `FROM pets ${condition}`);
}
