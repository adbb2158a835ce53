// When getPet ends.

/** Removal of getPet: 5 December 2030, 00:00 UTC. */
export const GET_PET_SUNSET_MS = Date.UTC(2030, 11, 5);

/** Deprecated five years before its removal, unless configured otherwise. */
export const GET_PET_DEPRECATED_MS_DEFAULT = Date.UTC(2025, 11, 5);
