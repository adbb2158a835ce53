// Refuses targets that a command must not overwrite: existing files, and the store itself.

import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Config } from "../config/config.ts";
import { OperatorError } from "../tools/operator-error.ts";

export function refuseTarget(config: Config, path: string, force: boolean): void {
  refuseStore(config, path);
  requireFolderOf(path);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isFile()) throw new OperatorError(`${path} exists and is not a file. Choose another name.`);
  if (!force)
    throw new OperatorError(`${path} exists already. Choose another name, or replace it with --force.`);
}

export function requireFolderOf(path: string): void {
  if (existsSync(dirname(path))) return;
  throw new OperatorError(`There is no folder ${dirname(path)}. Create it first.`);
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
