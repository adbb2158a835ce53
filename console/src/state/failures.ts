// Failures in words for people; what the service says is good enough for most.

import { AnimalStoreError, ConnectionError, TimeoutError } from "../../../client/src/client.ts";

const WORDS: Record<string, string> = {
  pet_has_open_order: "It has an open order: move or cancel that order first.",
  pet_not_available: "The animal is not available any more.",
  insufficient_access: "This key may not do this. Sign in with one that may.",
  invalid_cursor: "This page of the list is there no more. Go back to the first one.",
  internal_error: "Something broke inside the service. If it happens again, tell whoever runs it.",
  unavailable: "The service cannot do this at the moment. Try again shortly.",
  unexpected_answer:
    "Something else has answered in place of the service. Try again shortly; if it stays, tell whoever runs the service.",
};

export function explain(error: unknown): string {
  if (error instanceof ConnectionError || error instanceof TimeoutError)
    return "The service does not answer. Is it running, and are you online?";
  if (error instanceof AnimalStoreError) return WORDS[error.code] ?? error.message;
  // Of the page's own errors only plain ones are written for people.
  if (error instanceof Error && error.constructor === Error) return error.message;
  if (error instanceof RangeError || error instanceof SyntaxError)
    return "A number or a date is not one that the service can take. Correct it and try again.";
  return "Something went wrong on this page. Reload it and try again.";
}
