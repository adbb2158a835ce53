// createPet without the framework: recognises a create in a plain form, and performs it.

import type { IncomingMessage } from "node:http";
import { type NewPet, petJson, prepareNewPet } from "../../domain/animals/pet.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { BODY_BYTES_MAX } from "../../domain/basics/request-limits.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { isJsonType, parseJson } from "../request/body.ts";
import { compileValidator } from "../request/validation.ts";
import { NewPet as NewPetSchema } from "../schemas/pets.ts";
import type { HttpServices } from "../services.ts";

const PATH = "/v1/pets";

/** The response to a create. */
export interface CreatedContent {
  body: string;
  bytes: number;
  location: string;
}

/**
 * For a request that `isPlain`. Its whole body must have arrived together with its head, as almost always: only the framework
 * waits for the rest of a body, and limits how long.
 */
export function isPlainCreate({ url, headers, complete, readableLength }: IncomingMessage): boolean {
  return (
    url === PATH &&
    complete &&
    readableLength > 0 &&
    readableLength <= BODY_BYTES_MAX &&
    isJsonType(headers["content-type"]) &&
    headers["content-encoding"] === undefined &&
    headers["transfer-encoding"] === undefined &&
    headers["idempotency-key"] === undefined
  );
}

/** The returned function rejects with `bad_request`, `invalid_json`, `invalid_body`, and what the store throws. */
export function createPetCreator({
  pets,
  clock,
  publicUrl,
}: Pick<HttpServices, "pets" | "clock" | "publicUrl">) {
  const validate = compileValidator({ schema: NewPetSchema, httpPart: "body", method: "POST", url: PATH });

  return async (request: IncomingMessage, key: ApiKey): Promise<CreatedContent> => {
    // The client has disconnected while the gate was asked; the response is only counted and logged.
    if (request.destroyed) throw new ServiceError("bad_request");
    const read = validate(parseJson(request.read())) as { value: NewPet } | { error: Error };
    if ("error" in read) throw read.error;
    const pet = await pets.create(prepareNewPet(read.value), { keyId: key.id, atMs: clock.nowMs() });
    const body = petJson(pet);
    return { body, bytes: Buffer.byteLength(body), location: `${publicUrl()}${PATH}/${pet.id}` };
  };
}
