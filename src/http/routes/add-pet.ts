// The work of createPet, for its route and for the fast path.

import type { ChangeOrigin } from "../../domain/animals/history.ts";
import { type NewPet, prepareNewPet } from "../../domain/animals/pet.ts";
import type { HttpServices } from "../services.ts";

export async function addPet(
  body: NewPet,
  origin: ChangeOrigin,
  { pets, publicUrl }: Pick<HttpServices, "pets" | "publicUrl">,
) {
  const pet = await pets.create(prepareNewPet(body), origin);
  return { status: 201, location: `${publicUrl()}/v1/pets/${pet.id}`, body: pet };
}
