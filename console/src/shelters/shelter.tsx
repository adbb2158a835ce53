// The page of one shelter: a form for keys that may change it, facts for the others.

import { useSignal } from "@preact/signals";
import type { Shelter as ShelterData } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import { Head, MissingPage, PageHead } from "../shared/parts/head.tsx";
import { useLiveList } from "../shared/parts/live-list.ts";
import { LoadFailure } from "../shared/parts/load-failure.tsx";
import { findOne } from "../shared/state/find-one.ts";
import { ensureShelters, mayEditShelter, reloadShelters } from "../shared/state/own-shelter.ts";
import { isAllowed } from "../shared/state/permissions.ts";
import { hrefOf } from "../shared/state/place.ts";
import { hasSeveralShelters, isReachable } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { DeleteShelter, mayDelete } from "./delete-shelter.tsx";
import { ShelterFacts } from "./shelter-facts.tsx";
import { ShelterForm } from "./shelter-form.tsx";

interface ShelterProps {
  id: string;
  /** Undefined for keys that cannot add one. */
  onAdd?: (() => void) | undefined;
}

export function Shelter({ id, onAdd }: ShelterProps) {
  const texts = t().shelters;
  const isDeleting = useSignal(false);
  const loaded = useLiveList(
    (signal, retries) => {
      void ensureShelters({ retries }).catch(() => {});
      return findOne(id, (client, shelterId) => client.getShelter(shelterId, { signal, retries }));
    },
    [id],
    { kinds: ["shelter"] },
  );
  const showSaved = async () => {
    await Promise.all([loaded.reload(), reloadShelters()]);
  };
  const shelter = loaded.data.value;
  if (shelter === null)
    return (
      <MissingPage place="shelters" back={texts.all}>
        {texts.missing(id)}
      </MissingPage>
    );
  if (shelter === undefined || loaded.isForOthers.value) {
    if (loaded.failure.value !== undefined) return <LoadFailure loaded={loaded} />;
    return <p class="quiet">{t().common.loading}</p>;
  }
  return (
    <>
      {hasSeveralShelters() ? (
        <PageHead place="shelters" back={texts.all} name={shelter.name}>
          {mayDelete(shelter) && (
            <Button
              kind="danger"
              label={later().webhooks.deleteAsk}
              onClick={() => (isDeleting.value = true)}
            />
          )}
        </PageHead>
      ) : (
        <Head title={texts.ours}>{onAdd && <Button label={texts.add} onClick={onAdd} />}</Head>
      )}
      <LoadFailure loaded={loaded} />
      <div class="columns">
        {mayEditShelter(shelter) ? (
          <ShelterForm key={id} shelter={shelter} onSaved={showSaved} />
        ) : (
          <div>
            <ShelterFacts shelter={shelter} />
          </div>
        )}
        <Beside shelter={shelter} />
      </div>
      {isDeleting.value && <DeleteShelter shelter={shelter} onClose={() => (isDeleting.value = false)} />}
    </>
  );
}

/** Beside the form, so that nothing moves when the hint goes. */
function Beside({ shelter }: { shelter: ShelterData }) {
  const texts = t().shelters;
  const mayEdit = mayEditShelter(shelter);
  return (
    <div>
      {mayEdit && !isReachable(shelter) && <p class="held">{texts.fillIn}</p>}
      {mayEdit && <p class="quiet">{texts.shownWhere}</p>}
      {isAllowed("updateSite") && (
        <p>
          <a href={hrefOf("site")}>{t().placeNames.site}</a>
        </p>
      )}
      {hasSeveralShelters() && (
        <p>
          <a href={hrefOf("animals", undefined, { shelter: String(shelter.id) })}>{texts.itsAnimals}</a>
        </p>
      )}
    </div>
  );
}
