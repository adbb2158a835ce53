// The dialogs of the list of animals: a new animal, and the adoption of one.

import type { Signal } from "@preact/signals";
import type { Listing } from "../../../../client/src/client.ts";
import { OrderForm } from "../../orders/order-form.tsx";
import { AddAnimal } from "../add-animal.tsx";

/** A new object for each dialog, so that a dialog that ends late closes itself and no other. */
export interface OpenedDialog {
  form: "animal" | "order";
  pet: Listing | undefined;
}

interface AnimalDialogsProps {
  opened: Signal<OpenedDialog | undefined>;
  reload: () => Promise<void>;
}

export function AnimalDialogs({ opened, reload }: AnimalDialogsProps) {
  const dialog = opened.value;
  const close = () => {
    if (opened.value === dialog) opened.value = undefined;
  };
  const closeAndReload = () => {
    close();
    return reload();
  };
  if (dialog?.form === "animal") return <AddAnimal onClose={close} onAdded={reload} />;
  if (dialog?.pet === undefined) return null;
  return <OrderForm pet={dialog.pet} onClose={close} onDone={closeAndReload} onRefused={reload} />;
}
