// What a phone shows behind "More": the other places, the language, and the way out.

import { Dialog } from "../shared/parts/dialog.tsx";
import { addressOf } from "../shared/state/addresses.ts";
import { hrefOf, offeredPlaces, type PlaceName } from "../shared/state/place.ts";
import { signOut } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import { Languages } from "./footer.tsx";
import { DAILY } from "./navigation.tsx";
import { nameOfPlace } from "./place-name.ts";

interface MoreProps {
  current: PlaceName;
  onClose: () => void;
}

export function More({ current, onClose }: MoreProps) {
  const places = offeredPlaces().filter(({ name }) => !DAILY.includes(name));
  return (
    <Dialog title={t().frame.more} className="sheet more" onClose={onClose}>
      <ul>
        {places.map(({ name }) => (
          <li key={name}>
            <a href={hrefOf(name)} aria-current={name === current ? "page" : undefined} onClick={onClose}>
              {nameOfPlace(name)}
            </a>
          </li>
        ))}
        <li>
          <a href={addressOf("docs")}>{t().frame.reference}</a>
        </li>
      </ul>
      <div class="more-end">
        <Languages />
        <button type="button" onClick={() => signOut()}>
          {t().frame.signOut}
        </button>
      </div>
    </Dialog>
  );
}
