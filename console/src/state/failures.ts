// Error messages for people. Codes that are not listed show the message of the service.

import { AnimalStoreError, ConnectionError, TimeoutError } from "../../../client/src/client.ts";

const MESSAGES: Record<string, string> = {
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
  if (error instanceof AnimalStoreError) return MESSAGES[error.code] ?? error.message;
  // Plain errors are thrown by the console with a message for people; subclasses come from the browser.
  if (error instanceof Error && error.constructor === Error) return error.message;
  if (error instanceof RangeError || error instanceof SyntaxError)
    return "A number or a date is not one that the service can take. Correct it and try again.";
  return "Something went wrong on this page. Reload it and try again.";
}
