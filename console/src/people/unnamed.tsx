// A line for the user of an admin key that belongs to nobody, such as the one of the first start: they can become a person.

import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { Button } from "../shared/parts/button.tsx";
import { addressOf } from "../shared/state/addresses.ts";
import { session } from "../shared/state/session.ts";
import { readStored, writeStored } from "../shared/state/storage.ts";
import { t } from "../shared/texts/language.ts";

/** With the path, because one host can serve several stores. */
const PUT_OFF = `animal-store-unnamed:${new URL(addressOf("")).pathname}`;

interface UnnamedProps {
  /** The dialog: a parameter, because only some pages need its code at once. */
  Dialog: ComponentType<{ onClose: () => void }>;
  /** Then it does not appear again on this device. */
  mayPutOff?: boolean;
}

export function Unnamed({ Dialog, mayPutOff = false }: UnnamedProps) {
  const isOpen = useSignal(false);
  const isPutOff = useSignal(mayPutOff && readStored("localStorage", PUT_OFF) !== undefined);
  const texts = t().unnamed;
  if (isPutOff.value || session.value?.access !== "admin" || session.value.person !== undefined) return null;

  function putOff(): void {
    writeStored("localStorage", PUT_OFF, "yes");
    isPutOff.value = true;
  }

  return (
    <>
      <div class="unnamed">
        <p>{texts.about}</p>
        <div class="buttons">
          {mayPutOff && <Button label={texts.later} onClick={putOff} />}
          <Button label={texts.enter} onClick={() => (isOpen.value = true)} />
        </div>
      </div>
      {isOpen.value && <Dialog onClose={() => (isOpen.value = false)} />}
    </>
  );
}
