// The empty state of the list of animals.

import { useSignal } from "@preact/signals";
import { Button } from "../../shared/parts/button.tsx";
import { type AnimalsQuery, isNarrowed, NO_FILTER } from "../../shared/state/animals-query.ts";
import { forgetCategories } from "../../shared/state/category-names.ts";
import { explain } from "../../shared/state/failures.ts";
import { notify } from "../../shared/state/notices.ts";
import { isAllowed } from "../../shared/state/permissions.ts";
import { setFilter } from "../../shared/state/place.ts";
import { t } from "../../shared/texts/language.ts";
import type { AddedSamples } from "./samples.ts";

interface NoAnimalsProps {
  query: AnimalsQuery;
  isStoreEmpty: boolean;
  /** Whether a search has not looked at all animals yet. */
  hasNext: boolean;
  hasOtherPages: boolean;
  onAdd: () => void;
  loadSamples: () => Promise<AddedSamples>;
  onLoaded: () => Promise<void>;
}

export function NoAnimals(props: NoAnimalsProps) {
  const { query, isStoreEmpty, hasNext, hasOtherPages, onAdd, loadSamples, onLoaded } = props;
  const texts = t().noAnimals;
  const isLoading = useSignal(false);

  async function load(): Promise<void> {
    isLoading.value = true;
    try {
      const { animals, hasPictures } = await loadSamples();
      notify(hasPictures ? texts.samplesAdded(animals) : texts.samplesWithoutPictures(animals));
    } catch (error) {
      notify(texts.samplesFailed(explain(error)), { isFailure: true });
    } finally {
      isLoading.value = false;
    }
    // The samples add category names.
    forgetCategories();
    await onLoaded();
  }

  if (!isStoreEmpty) {
    if (hasNext && query.q !== "") return <p>{texts.searchOn(query.q)}</p>;
    if (hasOtherPages) return <p>{texts.otherPages}</p>;
    if (isNarrowed(query))
      return (
        <>
          <p>{query.q === "" ? texts.nothingFits : texts.nothingFound(query.q)}</p>
          <Button label={texts.showAll} onClick={() => setFilter(NO_FILTER)} />
        </>
      );
    return <p>{query.status === undefined ? texts.noneLeft : texts.noneInStatus[query.status]}</p>;
  }
  if (!isAllowed("createPet")) return <p>{texts.emptyForReaders}</p>;
  return (
    <>
      <p>
        <strong>{texts.empty}</strong>
        <br />
        {texts.firstSteps}
      </p>
      <div class="buttons">
        <Button kind="primary" label={texts.addFirst} onClick={onAdd} />
        {/* They have categories of their own. */}
        {isAllowed("putCategory") && (
          <Button
            label={isLoading.value ? t().common.loading : texts.loadSamples}
            isOff={isLoading.value}
            onClick={load}
          />
        )}
      </div>
    </>
  );
}
