// Error messages for people. Codes that are not listed show the message of the service.

import {
  AnimalStoreError,
  ConnectionError,
  OPERATIONS,
  TimeoutError,
} from "../../../../client/src/client.ts";
import { fillIn, recogniseFailure } from "../../../../src/domain/webhooks/delivery-failures.ts";
import type { Texts } from "../texts/first-view-en.ts";
import { t } from "../texts/language.ts";
import { ChangedByOthersError } from "./changed-by-others.ts";
import { MissingPartError } from "./load-part.ts";

const MESSAGES: Partial<Record<AnimalStoreError["code"], keyof Texts["failures"]>> = {
  pet_has_open_order: "petHasOpenOrder",
  pet_not_available: "petNotAvailable",
  insufficient_access: "insufficientAccess",
  invalid_cursor: "invalidCursor",
  precondition_failed: "changedMeanwhile",
  external_id_taken: "externalIdTaken",
  invalid_image: "invalidImage",
  too_many_photos: "tooManyPhotos",
  too_many_webhooks: "tooManyWebhooks",
  pet_not_found: "petNotFound",
  order_not_found: "orderNotFound",
  category_not_found: "categoryNotFound",
  photo_not_found: "photoNotFound",
  key_not_found: "keyNotFound",
  webhook_not_found: "webhookNotFound",
  delivery_not_found: "deliveryNotFound",
  shelter_not_found: "shelterNotFound",
  shelter_in_use: "shelterInUse",
  other_shelter: "otherShelter",
  person_not_found: "personNotFound",
  invitation_not_found: "invitationNotFound",
  feed_reset: "eventsGone",
  internal_error: "internalError",
  unavailable: "unavailable",
  unexpected_answer: "unexpectedAnswer",
};

export function explain(error: unknown): string {
  const texts = t().failures;
  if (error instanceof ConnectionError || error instanceof TimeoutError) return texts.noAnswer;
  if (error instanceof MissingPartError) return texts.noAnswer;
  if (error instanceof ChangedByOthersError) return texts.changedByOthers;
  if (error instanceof AnimalStoreError) {
    // The message says which setting of the service is missing.
    if (isAboutWebhooks(error) && error.code === "unavailable") return error.message;
    if (error.operation === "replayWebhook" && error.code === "invalid_transition")
      return texts.replayRunning;
    if (isAboutWebhooks(error) && error.code === "invalid_transition") return texts.webhookKeyEnded;
    if (error.code === "url_not_allowed") return translateFailure(error.message);
    if (error.operation === "acceptInvitation" && error.code === "invalid_transition")
      return texts.tooManyDevices;
    const known = MESSAGES[error.code];
    return known === undefined ? error.message : texts[known];
  }
  // Plain errors are thrown by the console with a message for people; subclasses come from the browser.
  if (error instanceof Error && error.constructor === Error) return error.message;
  if (error instanceof RangeError || error instanceof SyntaxError) return texts.badValue;
  return texts.brokenPage;
}

/**
 * Why a webhook could not be sent, or may not be sent to an address. The service writes English; a sentence that this
 * console does not know stays as it is.
 */
export function translateFailure(sentence: string): string {
  const known = recogniseFailure(sentence);
  return known === undefined ? sentence : fillIn(t().deliveryFailures[known.cause], known.details);
}

/** Whether the same request may succeed later without anyone changing something. */
export function isPassing(error: unknown): boolean {
  if (error instanceof MissingPartError) return true;
  if (!(error instanceof AnimalStoreError)) return false;
  return error.status === undefined || error.status >= 500 || error.status === 429;
}

function isAboutWebhooks({ operation }: AnimalStoreError): boolean {
  const { path } = OPERATIONS[operation as keyof typeof OPERATIONS] ?? {};
  return path?.startsWith("/webhooks") === true;
}
