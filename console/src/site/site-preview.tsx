// A sketch of the public list, drawn by the console while the pages are closed: it follows the form.

import type { Listing } from "../../../client/src/client.ts";
import { summarise } from "../animals/profile/facts.ts";
import { Thumbnail } from "../shared/parts/thumbnail.tsx";
import { shelters } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import type { SiteFields } from "./site-fields.ts";

interface PreviewProps {
  fields: SiteFields;
  /** The first ones of the list. */
  animals: Listing[];
}

export function SitePreview({ fields: { title, introduction, accent }, animals }: PreviewProps) {
  const texts = later().site;
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">{texts.preview}</h2>
      <p class="quiet">{texts.previewHint}</p>
      <div class="site-preview" style={accent === "" ? undefined : { borderTopColor: accent }}>
        <p>
          <strong dir="auto">{title.trim() || (shelters.value?.items[0]?.name ?? t().shelters.ours)}</strong>
        </p>
        {introduction.trim() !== "" && (
          <p class="description" dir="auto">
            {introduction.trim()}
          </p>
        )}
        {animals.length === 0 && <p>{texts.noAnimals}</p>}
        {animals.map((animal) => (
          <div key={animal.id} class="with-thumbnail">
            <Thumbnail animal={animal} />
            <p>
              <bdi>{animal.name}</bdi>{" "}
              {animal.status === "pending" && <span class="status pending">{texts.reserved}</span>}
              <br />
              <small>{summarise(animal)}</small>
            </p>
          </div>
        ))}
      </div>
    </section>
  );
}
