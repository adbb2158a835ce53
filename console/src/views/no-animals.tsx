// The empty state of the list of animals.

import { useSignal } from "@preact/signals";
import type { PetStatus } from "../../../client/src/client.ts";
import { forgetCategories } from "../state/category-names.ts";
import { explain } from "../state/failures.ts";
import { notify } from "../state/notices.ts";
import { isAllowed } from "../state/session.ts";
import { loadSamples } from "./samples.ts";

interface NoAnimalsProps {
  search: string;
  status: PetStatus | undefined;
  isStoreEmpty: boolean;
  hasOtherPages: boolean;
  onAdd: () => void;
  onLoaded: () => Promise<void>;
}

export function NoAnimals(props: NoAnimalsProps) {
  const { search, status, isStoreEmpty, hasOtherPages, onAdd, onLoaded } = props;
  const isLoading = useSignal(false);

  async function load(): Promise<void> {
    if (isLoading.value) return;
    isLoading.value = true;
    try {
      const { animals, hasPictures } = await loadSamples();
      const fault = hasPictures ? "" : " They have no pictures, because this server cannot process images.";
      notify(`${animals} sample animals were added.${fault}`);
    } catch (error) {
      notify(`Not all sample animals were added. ${explain(error)}`, { isFailure: true });
    } finally {
      isLoading.value = false;
    }
    // The samples add category names.
    forgetCategories();
    await onLoaded();
  }

  if (!isStoreEmpty) {
    const elsewhere = hasOtherPages && " It may be on another page.";
    if (search !== "")
      return (
        <p>
          Nothing on this page matches “{search}”.{elsewhere}
        </p>
      );
    if (hasOtherPages) return <p>There are no animals left on this page. Other pages have some.</p>;
    return (
      <p>{status === undefined ? "No animal is left." : `No animal is ${status}. Choose another status.`}</p>
    );
  }
  if (!isAllowed("createPet"))
    return <p>There are no animals yet. A key with access “manage” can add some.</p>;
  return (
    <>
      <p>
        <strong>There are no animals yet.</strong>
        <br />
        Add the first one, or load a few samples to look around.
      </p>
      <div class="buttons">
        <button type="button" class="primary" onClick={onAdd}>
          Add the first animal
        </button>
        <button type="button" aria-disabled={isLoading.value} onClick={() => void load()}>
          {isLoading.value ? "Loading…" : "Load sample animals"}
        </button>
      </div>
    </>
  );
}
