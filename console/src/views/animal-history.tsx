// The history of one animal in sentences: what was changed, who did it and when. The newest change is first.

import type { Change, Int64 } from "../../../client/src/client.ts";
import { PAGE_LIMIT_MAX } from "../../../src/domain/list-limits.ts";
import { useLiveList } from "../parts/live-list.ts";
import { LoadFailure } from "../parts/load-failure.tsx";
import { Moment } from "../parts/moment.tsx";
import { keyName, loadKeyNames } from "../state/key-names.ts";
import { petIdOf } from "../state/live.ts";
import { ask, isAllowed } from "../state/session.ts";
import { t } from "../texts/language.ts";
import type { Sentence } from "../texts/say.ts";
import { describeChange } from "./history-words.ts";

/** The service returns the oldest changes first, so all pages are read; more than these are rare. */
const PAGES_MAX = 5;

export function AnimalHistory({ petId }: { petId: Int64 }) {
  const loaded = useLiveList((signal, retries) => readHistory(petId, { signal, retries }), [petId], {
    kinds: ["pet", "order", "listing"],
    isRelevant: (event) => petIdOf(event) === String(petId),
  });
  return (
    <section aria-labelledby="history">
      <h2 id="history">{t().animal.history}</h2>
      <LoadFailure loaded={loaded} />
      <ul class="entries">
        {loaded.data.value?.map((change) => (
          <li key={String(change.number)}>
            {describeChange(change, authorOf(change))}{" "}
            <small>
              <Moment at={change.at} />
            </small>
          </li>
        ))}
      </ul>
      {loaded.data.value?.length === 0 && <p class="quiet">{t().history.none}</p>}
    </section>
  );
}

async function readHistory(
  petId: Int64,
  options: { signal: AbortSignal; retries: number | undefined },
): Promise<Change[]> {
  const changes: Change[] = [];
  await ask(async (client) => {
    let pages = 0;
    for await (const { items } of client.listPetHistory(petId, { limit: PAGE_LIMIT_MAX }, options).pages()) {
      changes.push(...items);
      pages += 1;
      if (pages === PAGES_MAX) return;
    }
  });
  const keyIds = changes.flatMap(({ keyId }) => (keyId === undefined ? [] : [keyId]));
  if (isAllowed("listKeys")) await loadKeyNames(keyIds, options.signal);
  return changes.reverse();
}

/** The name of a key is known to admins only. */
function authorOf({ keyId }: Change): Sentence {
  if (keyId === undefined) return t().history.service;
  if (String(keyId) === "0") return t().history.adminKey;
  return keyName(keyId) ?? t().history.key(String(keyId));
}
