// The footer: the reference, settings that few people need, and the language.

import { addressOf } from "../shared/state/addresses.ts";
import { notify } from "../shared/state/notices.ts";
import { mayEditShelter } from "../shared/state/own-shelter.ts";
import { isAllowed } from "../shared/state/permissions.ts";
import { hrefOf } from "../shared/state/place.ts";
import { session } from "../shared/state/session.ts";
import { hasSeveralShelters, isReachable, shelters } from "../shared/state/shelter-list.ts";
import { chooseLanguage, LANGUAGES, type Language, language, t } from "../shared/texts/language.ts";

export function PageFooter() {
  return (
    <footer class="bottom">
      <a href={addressOf("docs")}>{t().frame.reference}</a>
      {session.value !== undefined && !hasSeveralShelters() && <OurShelter />}
      {isAllowed("updateSite") && <a href={hrefOf("site")}>{t().placeNames.site}</a>}
      <Languages />
    </footer>
  );
}

export function Languages() {
  const choose = (chosen: Language) =>
    chooseLanguage(chosen).catch(() => notify(t().frame.languageFailed, { isFailure: true }));
  return (
    <fieldset class="languages">
      <legend class="visually-hidden">{t().frame.language}</legend>
      {(Object.keys(LANGUAGES) as Language[]).map((each) => (
        <button
          key={each}
          type="button"
          lang={each}
          aria-pressed={each === language.value}
          onClick={() => void choose(each)}
        >
          {LANGUAGES[each]}
        </button>
      ))}
    </fieldset>
  );
}

/** With a hint until people can reach it. */
function OurShelter() {
  const [shelter] = shelters.value?.items ?? [];
  const isToDo = shelter !== undefined && mayEditShelter(shelter) && !isReachable(shelter);
  return (
    <span>
      <a href={hrefOf("shelters")}>{t().shelters.ours}</a>
      {isToDo && ` – ${t().shelters.unfinished}`}
    </span>
  );
}
