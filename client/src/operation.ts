// What the client must know of an operation besides its types.

import type { Access } from "./generated/shapes.ts";

export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base address, with the names of identifiers in braces. */
  readonly path: string;
  /** What the key must be allowed to do. */
  readonly access: Access;
  /** What it takes after the identifiers of its path. */
  readonly takes?: "query" | "body";
  readonly isPaged?: true;
  /** What to do instead. */
  readonly deprecated?: string;
  /** Day of removal, such as `2030-12-05`; present on a deprecated operation. */
  readonly sunset?: string;
}
