// The person of a key in SQL, beside the key that is shown.

import type { PersonName } from "../../../domain/keys/person-name.ts";
import type { Row } from "../../database.ts";

/** SQL: a column beside `person_id`, which is NULL for the key of a program. */
export const PERSON_NAME = "(SELECT name FROM people WHERE id = person_id) AS person_name";

/** SQL: the columns of both, beside the column with the key's id in another table. */
export function personOfKey(keyId: string): string {
  const from = `FROM api_keys JOIN people ON people.id = person_id WHERE api_keys.id = ${keyId}`;
  return `(SELECT person_id ${from}) AS person_id, (SELECT people.name ${from}) AS person_name`;
}

export function toPersonName({ person_id: id, person_name: name }: Row): PersonName | undefined {
  return typeof id === "bigint" ? { id, name: name as string } : undefined;
}
