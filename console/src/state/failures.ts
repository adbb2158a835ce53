// Error messages for people. Codes that are not listed show the message of the service.

import { AnimalStoreError, ConnectionError, OPERATIONS, TimeoutError } from "../../../client/src/client.ts";

const MESSAGES: Record<string, string> = {
  pet_has_open_order: "It has an open order: move or cancel that order first.",
  pet_not_available: "The animal is not available any more.",
  insufficient_access: "This key does not have the required access. Sign in with a key that has it.",
  invalid_cursor: "This page of the list no longer exists. Go back to the first page.",
  internal_error: "Something broke inside the service. If it happens again, tell the operator.",
  unavailable: "The service cannot do this at the moment. Try again shortly.",
  unexpected_answer:
    "The response did not come from the service. Try again shortly; if it happens again, tell the operator.",
};

export function explain(error: unknown): string {
  if (error instanceof ConnectionError || error instanceof TimeoutError)
    return "The service does not answer. Is it running, and are you online?";
  if (error instanceof AnimalStoreError)
    return isAboutWebhooks(error) ? error.message : (MESSAGES[error.code] ?? error.message);
  // Plain errors are thrown by the console with a message for people; subclasses come from the browser.
  if (error instanceof Error && error.constructor === Error) return error.message;
  if (error instanceof RangeError || error instanceof SyntaxError)
    return "A number or a date is not valid. Correct it and try again.";
  return "Something went wrong on this page. Reload it and try again.";
}

/** For webhooks, the message of a 503 says which setting of the service is missing. */
function isAboutWebhooks({ code, operation }: AnimalStoreError): boolean {
  const { path } = OPERATIONS[operation as keyof typeof OPERATIONS] ?? {};
  return code === "unavailable" && path?.startsWith("/webhooks") === true;
}
