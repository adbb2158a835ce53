// The name of an animal as a link to its page.

import { EntryLink } from "./entry-link.tsx";

export function PetLink({ pet }: { pet: { id: number | bigint; name: string } }) {
  return <EntryLink place="animals" id={pet.id} name={pet.name} />;
}
