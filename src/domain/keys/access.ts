// The four access levels of a key; each includes those before it.

export const ACCESS_LEVELS = ["browse", "adopt", "manage", "admin"] as const;
export type Access = (typeof ACCESS_LEVELS)[number];

export function includesAccess(held: Access, needed: Access): boolean {
  return ACCESS_LEVELS.indexOf(held) >= ACCESS_LEVELS.indexOf(needed);
}
