// The page of one animal: its photos, who it is, its adoption, its story, and what happened to it.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Listing, PetStatus } from "../../../../client/src/client.ts";
import { MissingPage } from "../../shared/parts/head.tsx";
import { LoadFailure } from "../../shared/parts/load-failure.tsx";
import { isHidden } from "../../shared/state/deletions.ts";
import { watchChanges } from "../../shared/state/leaving.ts";
import { isOfOthers, mayChange } from "../../shared/state/own-shelter.ts";
import { isAllowed } from "../../shared/state/permissions.ts";
import { t } from "../../shared/texts/language.ts";
import { later } from "../../shared/texts/pages.ts";
import { BulkShelter } from "../list/bulk-change.tsx";
import { Gallery } from "../photos/gallery.tsx";
import type { SectionProps } from "../profile/section.tsx";
import type { UnsavedText } from "../profile/section-form.tsx";
import { StatusSelect } from "../status-select.tsx";
import { useStatusMoves } from "../use-status-moves.tsx";
import { Adoption } from "./adoption.tsx";
import { AnimalActions } from "./animal-actions.tsx";
import { AnimalHistory } from "./animal-history.tsx";
import { Identity, Records, Story, Traits } from "./animal-sections.tsx";
import { DeletedAnimal } from "./deleted-animal.tsx";
import { KennelCard } from "./kennel-card.tsx";
import { type OneAnimal, useAnimal } from "./use-animal.ts";

/** What was typed into the sections and not saved. */
type Unsaved = Map<string, UnsavedText[]>;

export function Animal({ id }: { id: string }) {
  const animal = useAnimal(id);
  const { loaded } = animal;
  /** Kept here, because the sections go with the animal. */
  const unsaved = useRef<{ id: string; name: string; texts: Unsaved }>({ id, name: "", texts: new Map() });
  if (unsaved.current.id !== id) unsaved.current = { id, name: "", texts: new Map() };
  const textsOf = () => [...unsaved.current.texts.values()].flat();
  const listing = loaded.data.value;
  if (loaded.isForOthers.value || (listing === undefined && loaded.failure.value === undefined))
    return <p class="quiet animal-loading">{t().common.loading}</p>;
  if (listing === null && textsOf().length > 0)
    return <DeletedAnimal name={unsaved.current.name} texts={textsOf()} />;
  if (listing === null || isHidden(`pet:${id}`))
    return (
      <MissingPage place="animals" back={later().animal.allAnimals}>
        {later().animal.missing(id)}
      </MissingPage>
    );
  if (listing === undefined) return <LoadFailure loaded={loaded} />;
  unsaved.current.name = listing.name;
  return (
    <Shown
      key={id}
      listing={listing}
      animal={animal}
      onUnsaved={(section, texts) => unsaved.current.texts.set(section, texts)}
      hasUnsaved={() => textsOf().length > 0}
    />
  );
}

interface ShownProps {
  listing: Listing;
  animal: OneAnimal;
  onUnsaved: SectionProps["onUnsaved"];
  hasUnsaved: () => boolean;
}

function Shown({ listing, animal, onUnsaved, hasUnsaved }: ShownProps) {
  const { loaded, statusOf, store } = animal;
  const { move, question } = useStatusMoves(animal);
  const isMoving = useSignal(false);
  const status: PetStatus = statusOf(listing);
  const pet = { ...listing, status };
  const section = { listing, onStored: store, onUnsaved };

  useLayoutEffect(() => watchChanges(hasUnsaved), []);

  return (
    <>
      <div class="screen animal-page">
        <AnimalActions pet={pet} onMove={() => (isMoving.value = true)} />
        <LoadFailure loaded={loaded} />
        {isOfOthers(listing.shelter) && <p class="quiet">{t().shelters.readOnlyHint}</p>}
        <div class="profile">
          <Gallery listing={listing} onChanged={loaded.reload} />
          <div>
            <Identity {...section}>
              <StatusSelect pet={pet} onMove={(to) => void move(pet, to)} />
            </Identity>
            {mayChange("listOrders", listing) && (
              <Adoption listing={listing} status={status} onChanged={loaded.reload} />
            )}
            <Traits {...section} />
          </div>
          <div>
            <Story {...section} />
            <Records {...section} />
          </div>
          {isAllowed("listPetHistory") && <AnimalHistory petId={listing.id} />}
        </div>
        {isMoving.value && (
          <BulkShelter pets={[listing]} list={animal} onClose={() => (isMoving.value = false)} />
        )}
        {question}
      </div>
      <KennelCard listing={pet} />
    </>
  );
}
