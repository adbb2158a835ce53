// How long a search waits for the next key, so that not every letter costs a request.

export const TYPING_MS = 250;
