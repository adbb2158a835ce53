// The name of an entry of a list as a link to its page.

import type { Int64 } from "../../../../client/src/client.ts";
import { hrefOf } from "../state/place.ts";

interface EntryLinkProps {
  place: Parameters<typeof hrefOf>[0];
  id: Int64;
  name: string;
}

export function EntryLink({ place, id, name }: EntryLinkProps) {
  return (
    <a href={hrefOf(place, String(id))}>
      <bdi>{name}</bdi>
    </a>
  );
}
