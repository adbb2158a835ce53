// The name of an animal as a link to its page.

import type { Int64 } from "../../../client/src/client.ts";
import { hrefOf } from "../state/place.ts";

export function PetLink({ pet }: { pet: { id: Int64; name: string } }) {
  return (
    <a href={hrefOf("animals", String(pet.id))}>
      <bdi>{pet.name}</bdi>
    </a>
  );
}
