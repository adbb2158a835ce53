// The description of an operation that the client needs at run time.

import type { Access } from "./generated/shapes.ts";

/**
 * Method, path and other facts about an operation.
 *
 * @example
 * const { method, path }: Operation = OPERATIONS.listPets;
 * console.log(method, path); // GET /pets
 */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base URL, with identifiers as `{name}`. */
  readonly path: string;
  /** The access level that the key needs; absent where no key is needed. */
  readonly access?: Access;
  /** The argument after the identifiers of the path. Behind a file, there is a query. */
  readonly takes?: "query" | "body" | "file";
  /** The service carries it out once, and does not know a repeated request again. */
  readonly isOnce?: true;
  readonly isPaged?: true;
  /** The response is a file as text, and the path has its name. */
  readonly isFile?: true;
  /** The operation to use instead, as a sentence. */
  readonly deprecated?: string;
  /** Day of removal, such as `2030-12-05`; present on a deprecated operation. */
  readonly sunset?: string;
}
