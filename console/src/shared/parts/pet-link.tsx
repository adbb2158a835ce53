// The name of an animal as a link to its page.

import { hrefOf } from "../state/place.ts";

export function PetLink({ pet }: { pet: { id: number | bigint; name: string } }) {
  return (
    <a href={hrefOf("animals", String(pet.id))}>
      <bdi>{pet.name}</bdi>
    </a>
  );
}
