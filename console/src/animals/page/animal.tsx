// The page of one animal: photos, profile, orders and history.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Listing, PetStatus } from "../../../../client/src/client.ts";
import { OrderForm } from "../../orders/order-form.tsx";
import { Button } from "../../shared/parts/button.tsx";
import { focusMain, isByKeyboard } from "../../shared/parts/focus.ts";
import { MissingPage, PageHead } from "../../shared/parts/head.tsx";
import { LoadFailure } from "../../shared/parts/load-failure.tsx";
import { categoryName } from "../../shared/state/category-names.ts";
import { deleteLater, isHidden } from "../../shared/state/deletions.ts";
import { isOfOthers, mayChange, mayMoveAnimals } from "../../shared/state/own-shelter.ts";
import { hrefOf } from "../../shared/state/place.ts";
import { isShownToPublic } from "../../shared/state/public-site.ts";
import { ask, isAllowed } from "../../shared/state/session.ts";
import { hasSeveralShelters } from "../../shared/state/shelter-list.ts";
import { t } from "../../shared/texts/language.ts";
import { AnimalForm } from "../animal-form.tsx";
import { BulkShelter } from "../list/bulk-change.tsx";
import { AnimalPhotos } from "../photos/animal-photos.tsx";
import { ProfileForm, type UnsavedText } from "../profile/profile-form.tsx";
import { StatusSelect } from "../status-select.tsx";
import { type ShownPets, useStatusMoves } from "../use-status-moves.tsx";
import { AnimalFacts } from "./animal-facts.tsx";
import { AnimalHistory } from "./animal-history.tsx";
import { AnimalOrders } from "./animal-orders.tsx";
import { DeletedAnimal } from "./deleted-animal.tsx";
import { KennelCard } from "./kennel-card.tsx";
import { Share } from "./share.tsx";
import { useAnimal } from "./use-animal.ts";

type Opened = "edit" | "order" | "move" | undefined;

export function Animal({ id }: { id: string }) {
  const animal = useAnimal(id);
  const { move, question } = useStatusMoves(animal);
  const { loaded } = animal;
  /** Kept here, because the form goes with the animal. */
  const unsaved = useRef<{ id: string; name: string; texts: UnsavedText[] } | undefined>(undefined);
  const listing = loaded.data.value;
  if (loaded.isForOthers.value || (listing === undefined && loaded.failure.value === undefined))
    return <p class="quiet animal-loading">{t().common.loading}</p>;
  if (listing === null && unsaved.current?.id === id && unsaved.current.texts.length > 0)
    return <DeletedAnimal {...unsaved.current} />;
  if (listing === null || isHidden(`pet:${id}`))
    return (
      <MissingPage place="animals" back={t().animal.allAnimals}>
        {t().animal.missing(id)}
      </MissingPage>
    );
  if (listing === undefined) return <LoadFailure loaded={loaded} />;
  return (
    <>
      <Shown
        key={id}
        listing={listing}
        animal={animal}
        status={animal.statusOf(listing)}
        onMove={(to) => void move({ ...listing, status: animal.statusOf(listing) }, to)}
        onChanged={loaded.reload}
        onUnsaved={(texts) => {
          unsaved.current = { id, name: listing.name, texts };
        }}
        failure={<LoadFailure loaded={loaded} />}
      />
      {question}
    </>
  );
}

interface ShownProps {
  listing: Listing;
  animal: ShownPets;
  /** Newer than the status of the listing. */
  status: PetStatus;
  onMove: (to: PetStatus) => void;
  onChanged: () => Promise<void>;
  onUnsaved: (texts: UnsavedText[]) => void;
  failure: preact.ComponentChildren;
}

function Shown({ listing, animal, status, onMove, onChanged, onUnsaved, failure }: ShownProps) {
  const opened = useSignal<Opened>(undefined);
  const may = (operation: Parameters<typeof mayChange>[0]) => mayChange(operation, listing);
  const { shelter } = listing;
  const close = () => (opened.value = undefined);
  const done = () => {
    close();
    return onChanged();
  };

  function remove(event: MouseEvent): void {
    const run = () => ask((client) => client.deletePet(listing.id));
    deleteLater({ key: `pet:${listing.id}`, label: listing.name, run, isByKeyboard: isByKeyboard(event) });
    location.hash = hrefOf("animals");
    if (!isByKeyboard(event)) focusMain();
  }

  return (
    <>
      <div class="screen">
        <PageHead place="animals" back={t().animal.allAnimals} name={listing.name}>
          <div class="buttons">
            {may("createOrder") && status === "available" && (
              <Button kind="primary" label={t().orders.place} onClick={() => (opened.value = "order")} />
            )}
            {may("updatePet") && <Button label={t().animal.edit} onClick={() => (opened.value = "edit")} />}
            {mayMoveAnimals() && <Button label={t().shelters.move} onClick={() => (opened.value = "move")} />}
            {isShownToPublic(status) && <Share listing={listing} />}
            <Button label={t().animal.print} onClick={() => print()} />
            {may("deletePet") && <Button kind="danger" label={t().common.delete} onClick={remove} />}
          </div>
        </PageHead>
        {failure}
        <p class="animal-state">
          <StatusSelect pet={{ ...listing, status }} onMove={onMove} />{" "}
          <span class="quiet">{t().common.numbered(String(listing.id))}</span>{" "}
          <span>
            <span class="quiet">{t().common.category}</span>{" "}
            <bdi>{categoryName(listing.categoryId) ?? String(listing.categoryId)}</bdi>
          </span>{" "}
          {hasSeveralShelters() && (
            <span>
              <span class="quiet">{t().shelters.one}</span>{" "}
              <a href={hrefOf("shelters", String(shelter.id))}>
                <bdi>{shelter.name}</bdi>
              </a>
            </span>
          )}
        </p>
        {isOfOthers(shelter) && <p class="quiet">{t().shelters.readOnlyHint}</p>}
        <div class="columns">
          <div>
            <AnimalPhotos listing={listing} onChanged={onChanged} />
            {may("updateProfile") ? (
              <ProfileForm listing={listing} onChanged={onChanged} onUnsaved={onUnsaved} />
            ) : (
              <AnimalFacts listing={listing} />
            )}
          </div>
          <div>
            {may("listOrders") && <AnimalOrders petId={listing.id} />}
            {isAllowed("listPetHistory") && <AnimalHistory petId={listing.id} />}
          </div>
        </div>
        {opened.value === "edit" && <AnimalForm pet={listing} onClose={close} onDone={done} />}
        {opened.value === "move" && <BulkShelter pets={[listing]} list={animal} onClose={close} />}
        {opened.value === "order" && (
          <OrderForm pet={listing} onClose={close} onDone={done} onRefused={onChanged} />
        )}
      </div>
      <KennelCard listing={{ ...listing, status }} />
    </>
  );
}
