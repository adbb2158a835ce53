// Reads what an address names by its id.

import { type Client, type Int64, NotFoundError } from "../../../../client/src/client.ts";
import { findIdentifier } from "./identifier.ts";
import { ask } from "./session.ts";

/** Null if it does not exist, or if the text is not an id. */
export async function findOne<T>(
  text: string,
  read: (client: Client, id: Int64) => Promise<T>,
): Promise<T | null> {
  const id = findIdentifier(text);
  if (id === undefined) return null;
  try {
    return await ask((client) => read(client, id));
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
