// The way back to the list, and what can be done with the whole animal: share it, print its card, move or delete it.

import { useEffect } from "preact/hooks";
import type { Listing } from "../../../../client/src/client.ts";
import { Button } from "../../shared/parts/button.tsx";
import { focusMain, isByKeyboard } from "../../shared/parts/focus.ts";
import { Menu, type MenuItem } from "../../shared/parts/menu.tsx";
import { nameTab } from "../../shared/state/brand.ts";
import { deleteLater } from "../../shared/state/deletions.ts";
import { leaveFor } from "../../shared/state/leaving.ts";
import { mayChange, mayMoveAnimals } from "../../shared/state/own-shelter.ts";
import { hrefOf } from "../../shared/state/place.ts";
import { isShownToPublic } from "../../shared/state/public-site.ts";
import { ask } from "../../shared/state/session.ts";
import { isNarrow } from "../../shared/state/viewport.ts";
import { t } from "../../shared/texts/language.ts";
import { later } from "../../shared/texts/pages.ts";
import { share } from "./share.ts";

interface AnimalActionsProps {
  pet: Listing;
  /** Asks for another shelter. */
  onMove: () => void;
}

export function AnimalActions({ pet, onMove }: AnimalActionsProps) {
  const { id, name, status } = pet;

  useEffect(() => {
    nameTab(name);
  }, [name]);

  function remove(event: MouseEvent): void {
    const run = () => ask((client) => client.deletePet(id));
    deleteLater({ key: `pet:${id}`, label: name, run, isByKeyboard: isByKeyboard(event) });
    leaveFor(hrefOf("animals"));
    if (!isByKeyboard(event)) focusMain();
  }

  const common: MenuItem[] = [
    ...(isShownToPublic(status) ? [{ label: later().share.action, onChoose: () => void share(pet) }] : []),
    { label: later().animal.print, onChoose: () => print() },
  ];
  const items: MenuItem[] = [
    ...(isNarrow.value ? common : []),
    ...(mayMoveAnimals() ? [{ label: t().shelters.move, onChoose: onMove }] : []),
    ...(mayChange("deletePet", pet) ? [{ label: t().common.delete, kind: "danger", onChoose: remove }] : []),
  ];
  return (
    <div class="path-and-actions">
      <p class="path">
        <a href={hrefOf("animals")}>{later().animal.allAnimals}</a>
      </p>
      <div class="buttons">
        {!isNarrow.value &&
          common.map(({ label, onChoose }) => <Button key={label} label={label} onClick={onChoose} />)}
        {items.length > 0 && (
          <Menu name={later().more(name)} items={items}>
            ⋯
          </Menu>
        )}
      </div>
    </div>
  );
}
