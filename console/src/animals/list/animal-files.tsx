// Import and export of the list: two buttons, on a phone a menu, and the whole page as a place to drop a file on.

import { useSignal } from "@preact/signals";
import { Button } from "../../shared/parts/button.tsx";
import { keepDropped, useFileDrop } from "../../shared/parts/file-drop.ts";
import { Menu, type MenuItem } from "../../shared/parts/menu.tsx";
import type { AnimalsQuery } from "../../shared/state/animals-query.ts";
import { explain } from "../../shared/state/failures.ts";
import { formatAnimals } from "../../shared/state/format.ts";
import { notify } from "../../shared/state/notices.ts";
import { isAllowed } from "../../shared/state/permissions.ts";
import { hrefOf, IMPORT_ID } from "../../shared/state/place.ts";
import { isNarrow } from "../../shared/state/viewport.ts";
import { t } from "../../shared/texts/language.ts";
import type { ExportAnimals } from "./export-animals.ts";

interface AnimalFilesProps {
  exportAnimals: ExportAnimals;
  query: AnimalsQuery;
  /** Undefined if the size of the list is not known. */
  total: number | undefined;
  /** Starts a selection: rows have their boxes only then on a phone. */
  onSelect: () => void;
}

export function AnimalFiles({ exportAnimals, query, total, onSelect }: AnimalFilesProps) {
  const texts = t().animalFiles;
  const isExporting = useSignal(false);
  const mayImport = isAllowed("importAnimals");

  function open(file?: File): void {
    if (file !== undefined) keepDropped(file);
    location.hash = hrefOf("animals", IMPORT_ID);
  }

  async function save(): Promise<void> {
    isExporting.value = true;
    try {
      const count = await exportAnimals(query, total);
      if (count !== undefined) notify(texts.exported(formatAnimals(count)));
    } catch (error) {
      notify(texts.notExported(explain(error)), { isFailure: true });
    } finally {
      isExporting.value = false;
    }
  }

  const isDragging = useFileDrop(mayImport, open);
  const items: MenuItem[] = [
    ...(mayImport ? [{ label: texts.import, onChoose: () => open() }] : []),
    { label: texts.export, isOff: isExporting.value, onChoose: () => void save() },
  ];
  const select = isAllowed("updatePet") ? [{ label: t().bulk.start, onChoose: onSelect }] : [];
  return (
    <>
      {isNarrow.value ? (
        <Menu name={t().animals.more} items={[...select, ...items]}>
          ⋯
        </Menu>
      ) : (
        items.map(({ label, isOff = false, onChoose }) => (
          <Button key={label} label={label} isOff={isOff} onClick={onChoose} />
        ))
      )}
      {isDragging.value && <div class="drop-here">{texts.dropHere}</div>}
    </>
  );
}
