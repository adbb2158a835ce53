// Refuses targets that a command must not overwrite: existing files, and the store itself.

import { statSync } from "node:fs";
import type { Config } from "../config.ts";
import { refuseExisting } from "../tools/atomic-file.ts";
import { OperatorError } from "../tools/operator-error.ts";

export function refuseTarget(config: Config, path: string, force: boolean): void {
  refuseStore(config, path);
  refuseExisting(path, force);
}

/** Compares inodes, because links give the store other names. */
export function refuseStore({ database }: Config, path: string): void {
  if (database.engine !== "sqlite") return;
  const [one, other] = [path, database.path].map((each) =>
    statSync(each, { bigint: true, throwIfNoEntry: false }),
  );
  if (one === undefined || other === undefined || one.ino !== other.ino || one.dev !== other.dev) return;
  throw new OperatorError(`${path} is the store itself. Choose another name.`);
}
