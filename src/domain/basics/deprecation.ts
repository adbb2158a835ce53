// The dates of getPet's deprecation and removal.

/** As texts quote it; the operation ends at 00:00 UTC of this day. */
export const GET_PET_SUNSET_DAY = "5 December 2030";
export const GET_PET_SUNSET_MS = Date.parse(`${GET_PET_SUNSET_DAY} UTC`);

export function isGetPetRemoved(nowMs: number): boolean {
  return nowMs >= GET_PET_SUNSET_MS;
}

/** Five years before the removal. */
export const GET_PET_DEPRECATED_MS_DEFAULT = Date.UTC(2025, 11, 5);
