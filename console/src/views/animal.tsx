// The page of one animal: photos, profile, orders and history.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Listing, PetStatus } from "../../../client/src/client.ts";
import { focusMain, isByKeyboard } from "../parts/focus.ts";
import { useLiveList } from "../parts/live-list.ts";
import { LoadFailure } from "../parts/load-failure.tsx";
import { ensureCategories } from "../state/category-names.ts";
import { deleteLater, isHidden } from "../state/deletions.ts";
import { explain } from "../state/failures.ts";
import { findOne } from "../state/find-one.ts";
import { petIdOf } from "../state/live.ts";
import { notify } from "../state/notices.ts";
import { hrefOf } from "../state/place.ts";
import { ask, isAllowed } from "../state/session.ts";
import { t } from "../texts/language.ts";
import { AnimalFacts } from "./animal-facts.tsx";
import { AnimalForm } from "./animal-form.tsx";
import { AnimalHistory } from "./animal-history.tsx";
import { AnimalOrders } from "./animal-orders.tsx";
import { AnimalPhotos } from "./animal-photos.tsx";
import { KennelCard } from "./kennel-card.tsx";
import { OrderForm } from "./order-form.tsx";
import { ProfileForm } from "./profile-form.tsx";
import { StatusSelect } from "./status-select.tsx";

type Opened = "edit" | "order" | undefined;

export function Animal({ id }: { id: string }) {
  const loaded = useLiveList((signal, retries) => readListing(id, { signal, retries }), [id], {
    kinds: ["pet", "listing", "category"],
    // A new name of a category may concern any animal.
    isRelevant: (event) => event.type.startsWith("category.") || petIdOf(event) === id,
  });
  const listing = loaded.data.value;
  if (loaded.isForOthers.value || (listing === undefined && loaded.failure.value === undefined))
    return <p class="quiet animal-loading">{t().common.loading}</p>;
  if (listing === null || isHidden(`pet:${id}`)) return <Missing id={id} />;
  if (listing === undefined) return <LoadFailure loaded={loaded} />;
  return (
    <Shown key={id} listing={listing} onChanged={loaded.reload} failure={<LoadFailure loaded={loaded} />} />
  );
}

/** Null for an animal that does not exist. */
async function readListing(
  id: string,
  options: { signal: AbortSignal; retries: number | undefined },
): Promise<Listing | null> {
  const [listing] = await Promise.all([
    findOne(id, (client, petId) => client.getListing(petId, options)),
    ensureCategories({ retries: options.retries }),
  ]);
  return listing;
}

function Missing({ id }: { id: string }) {
  return (
    <div class="empty">
      <p>{t().animal.missing(id)}</p>
      <a href={hrefOf("animals")}>{t().animal.allAnimals}</a>
    </div>
  );
}

interface ShownProps {
  listing: Listing;
  onChanged: () => Promise<void>;
  /** Shown where the page could not be loaded again. */
  failure: preact.ComponentChildren;
}

function Shown({ listing, onChanged, failure }: ShownProps) {
  const opened = useSignal<Opened>(undefined);
  const close = () => (opened.value = undefined);
  const done = () => {
    close();
    return onChanged();
  };

  useEffect(() => {
    document.title = `${listing.name} – Animal Store`;
  }, [listing.name]);

  async function move(to: PetStatus): Promise<void> {
    try {
      await ask((client) => client.updatePet(listing.id, { status: to }));
      notify(t().animal.moved(listing.name, t().petStatus[to]));
    } catch (error) {
      notify(t().animal.notMoved(listing.name, explain(error)), { isFailure: true });
    }
    await onChanged();
  }

  function remove(event: MouseEvent): void {
    const run = () => ask((client) => client.deletePet(listing.id));
    deleteLater({ key: `pet:${listing.id}`, label: listing.name, run, isByKeyboard: isByKeyboard(event) });
    location.hash = hrefOf("animals");
    if (!isByKeyboard(event)) focusMain();
  }

  return (
    <>
      <div class="screen">
        <p class="path">
          <a href={hrefOf("animals")}>{t().animal.allAnimals}</a>
        </p>
        <div class="head">
          <h1>
            <bdi>{listing.name}</bdi>
          </h1>
          <div class="buttons">
            {isAllowed("createOrder") && listing.status === "available" && (
              <button type="button" class="primary" onClick={() => (opened.value = "order")}>
                {t().animal.order}
              </button>
            )}
            {isAllowed("updatePet") && (
              <button type="button" onClick={() => (opened.value = "edit")}>
                {t().animal.edit}
              </button>
            )}
            <button type="button" onClick={() => print()}>
              {t().animal.print}
            </button>
            {isAllowed("deletePet") && (
              <button type="button" class="danger" onClick={remove}>
                {t().animal.delete}
              </button>
            )}
          </div>
        </div>
        {failure}
        <p class="animal-state">
          {isAllowed("updatePet") ? (
            <StatusSelect pet={listing} onMove={(to) => void move(to)} />
          ) : (
            <span class={`status ${listing.status}`}>{t().petStatus[listing.status]}</span>
          )}{" "}
          <span class="quiet">{t().animal.number(String(listing.id))}</span>
        </p>
        <div class="animal-columns">
          <div>
            <AnimalPhotos listing={listing} onChanged={onChanged} />
            {isAllowed("updateProfile") ? (
              <ProfileForm listing={listing} onChanged={onChanged} />
            ) : (
              <AnimalFacts listing={listing} />
            )}
          </div>
          <div>
            {isAllowed("listOrders") && <AnimalOrders petId={listing.id} />}
            {isAllowed("listPetHistory") && <AnimalHistory petId={listing.id} />}
          </div>
        </div>
        {opened.value === "edit" && <AnimalForm pet={listing} onClose={close} onDone={done} />}
        {opened.value === "order" && (
          <OrderForm pet={listing} onClose={close} onDone={done} onRefused={onChanged} />
        )}
      </div>
      <KennelCard listing={listing} />
    </>
  );
}
