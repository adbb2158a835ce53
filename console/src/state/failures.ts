// Failures in words for people; what the service says is good enough for most.

import { AnimalStoreError, ConnectionError, TimeoutError } from "../../../client/src/client.ts";

const WORDS: Record<string, string> = {
  pet_has_open_order: "It has an open order: move or cancel that order first.",
  pet_not_available: "The animal is not available any more.",
  internal_error: "Something broke inside the service.",
  unavailable: "The service cannot do this at the moment. Try again shortly.",
};

export function explain(error: unknown): string {
  if (error instanceof ConnectionError || error instanceof TimeoutError)
    return "The service does not answer. Is it running, and are you online?";
  if (error instanceof AnimalStoreError) return WORDS[error.code] ?? error.message;
  return error instanceof Error ? error.message : String(error);
}
