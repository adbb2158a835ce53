// What the session may do, which decides what the console offers.

import { type Access, OPERATIONS, VALUES } from "../../../../client/src/client.ts";
import { session } from "./session.ts";

/** A key of one shelter may not change what all shelters share. */
const SHARED: ReadonlyArray<keyof typeof OPERATIONS> = ["putCategory", "deleteCategory"];

export function isAllowed(operation: keyof typeof OPERATIONS): boolean {
  const isShared = SHARED.includes(operation);
  const { access } = OPERATIONS[operation];
  return (access === undefined || hasAccess(access)) && !(isShared && session.value?.shelterId !== undefined);
}

export function hasAccess(needed: Access): boolean {
  const held = session.value?.access;
  return held !== undefined && VALUES.Access.indexOf(held) >= VALUES.Access.indexOf(needed);
}
