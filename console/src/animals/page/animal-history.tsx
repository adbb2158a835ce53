// The history of one animal in sentences: what was changed, who did it and when. The newest change is first.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Change, Int64 } from "../../../../client/src/client.ts";
import { Button } from "../../shared/parts/button.tsx";
import { LoadFailure } from "../../shared/parts/load-failure.tsx";
import { LongText } from "../../shared/parts/long-text.tsx";
import { Moment } from "../../shared/parts/moment.tsx";
import { formatCount } from "../../shared/state/format.ts";
import { keyName, OPERATOR_KEY_ID } from "../../shared/state/names.ts";
import { t } from "../../shared/texts/language.ts";
import { later } from "../../shared/texts/pages.ts";
import type { Sentence } from "../../shared/texts/say.ts";
import {
  describeChange,
  groupPhotoChanges,
  listProfileChanges,
  type ProfileChange,
} from "./history-words.ts";
import { PART_CHANGES, useHistory } from "./use-history.ts";

export function AnimalHistory({ petId }: { petId: Int64 }) {
  const loaded = useHistory(petId);
  const { changes = [], hasNewer = false } = loaded.data.value ?? {};
  return (
    <section aria-labelledby="history">
      <h2 id="history">{later().animal.history}</h2>
      <LoadFailure loaded={loaded} />
      {(hasNewer || changes.length > PART_CHANGES) && (
        <Extent
          count={changes.length}
          hasNewer={hasNewer}
          isLoading={loaded.isLoading.value}
          onMore={() => void loaded.readNewer()}
        />
      )}
      <ul class="entries">
        {groupPhotoChanges(changes).map((group) => (
          <Entry key={String(group[0]?.number)} group={group} />
        ))}
      </ul>
      {loaded.data.value !== undefined && changes.length === 0 && <p class="quiet">{later().history.none}</p>}
    </section>
  );
}

/** `group` has more than one change only if all of them are of photos: then the newest says it for all. */
function Entry({ group }: { group: Change[] }) {
  const [change] = group;
  if (change === undefined) return null;
  return (
    <li>
      {describeChange(change, authorOf(change))}{" "}
      <small>
        <Moment at={change.at} />
        {group.length > 1 && ` · ${later().history.times(formatCount(group.length))}`}
      </small>
      <ProfileChanges changes={listProfileChanges(change)} />
    </li>
  );
}

/** Members whose values are shown without being asked for. */
const SHOWN_MAX = 3;

function ProfileChanges({ changes }: { changes: ProfileChange[] }) {
  if (changes.length === 0) return null;
  if (changes.length <= SHOWN_MAX) return <Values changes={changes} />;
  return (
    <details>
      <summary>{later().history.showValues}</summary>
      <Values changes={changes} />
    </details>
  );
}

function Values({ changes }: { changes: ProfileChange[] }) {
  return (
    <dl class="values">
      {changes.map(({ label, before, after }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <small>{later().history.before}</small>{" "}
            <del>
              <LongText text={before} other={after} />
            </del>
          </dd>
          <dd>
            <small>{later().history.after}</small>{" "}
            <ins>
              <LongText text={after} other={before} />
            </ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ExtentProps {
  count: number;
  hasNewer: boolean;
  isLoading: boolean;
  onMore: () => void;
}

/** How much of a long history is shown. Above the list, where newer changes appear. */
function Extent({ count, hasNewer, isLoading, onMore }: ExtentProps) {
  const text = useRef<HTMLParagraphElement>(null);
  const isPressed = useRef(false);
  // The last part removes the button that has the focus.
  useLayoutEffect(() => {
    if (isPressed.current && !hasNewer && document.activeElement === document.body) text.current?.focus();
  }, [hasNewer]);
  const texts = later().history;
  return (
    <div class="tools">
      <p ref={text} class="quiet" role="status" tabIndex={-1}>
        {(hasNewer ? texts.oldest : texts.all)(formatCount(count))}
      </p>
      {hasNewer && (
        <Button
          label={texts.showNewer}
          isOff={isLoading}
          onClick={() => {
            isPressed.current = true;
            onMore();
          }}
        />
      )}
    </div>
  );
}

/** The name of a key is known to admins only; everybody may know who worked with the animals. */
function authorOf({ keyId, person }: Change): Sentence {
  if (person !== undefined) return person.name;
  if (keyId === undefined) return later().history.service;
  if (String(keyId) === OPERATOR_KEY_ID) return t().common.operatorKey;
  return keyName(keyId) ?? t().common.keyNumbered(String(keyId));
}
