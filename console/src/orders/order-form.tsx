// Places an order for a given animal, or for one that is chosen in the form.

import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import type { Listing, Pet } from "../../../client/src/client.ts";
import { REFERENCE_MAX } from "../../../src/domain/basics/text-limits.ts";
import { Dialog } from "../shared/parts/dialog.tsx";
import { Field } from "../shared/parts/field.tsx";
import { Form } from "../shared/parts/form.tsx";
import { PetLink } from "../shared/parts/pet-link.tsx";
import { formatHours, formatMoment } from "../shared/state/format.ts";
import { notify } from "../shared/state/notices.ts";
import { ask } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import type { PickerProps } from "./animal-picker.tsx";

/** A setting of the operator, which the service writes into the page. */
const HOLD_HOURS = Number(document.documentElement.dataset.orderHoldHours);

interface OrderFormProps {
  /** Chosen with `Picker` if absent. */
  pet?: Pet;
  /** From the view that needs it: the first view does not. */
  Picker?: ComponentType<PickerProps>;
  onClose: () => void;
  onDone: () => Promise<void>;
  /** Called when the service refuses the order: the list behind the dialog may be out of date. */
  onRefused?: () => Promise<void>;
}

export function OrderForm({ pet, Picker, onClose, onDone, onRefused }: OrderFormProps) {
  const chosen = useSignal<Listing | undefined>(undefined);
  const texts = t().orders;

  async function submit(fields: FormData, signal: AbortSignal): Promise<void> {
    const ordered = pet ?? chosen.value;
    if (ordered === undefined) throw new Error(t().picker.choose);
    const reference = String(fields.get("reference"));
    try {
      const order = await ask((client) => client.createOrder({ petId: ordered.id, reference }, { signal }));
      const end = order.expiresAt === undefined ? "" : formatMoment(order.expiresAt);
      notify(texts.isPlaced(String(order.id), <PetLink pet={ordered} />, end));
    } catch (error) {
      await onRefused?.();
      throw error;
    }
    await onDone();
  }

  return (
    <Dialog title={pet === undefined ? texts.place : texts.placeFor(pet.name)} onClose={onClose}>
      <Form action={texts.placeAction} onSubmit={submit} onCancel={onClose}>
        {Picker && (
          <Picker
            chosen={chosen.value}
            onChoose={(listing) => {
              chosen.value = listing;
            }}
          />
        )}
        <Field
          label={texts.reference}
          name="reference"
          maxLength={REFERENCE_MAX}
          dir="auto"
          hint={texts.referenceHint}
        />
        <p class="quiet">{texts.holdExplained(formatHours(HOLD_HOURS))}</p>
      </Form>
    </Dialog>
  );
}
