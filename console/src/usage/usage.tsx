// The usage of the signed-in key; for admins also the traffic and the callers of deprecated operations.

import type { ComponentChildren } from "preact";
import { OPERATIONS } from "../../../client/src/client.ts";
import { PAGE_LIMIT_MAX } from "../../../src/domain/basics/list-limits.ts";
import { formatBanEnd } from "../keys/key-words.ts";
import { Bar } from "../shared/parts/bar.tsx";
import { EntryLink } from "../shared/parts/entry-link.tsx";
import { Head } from "../shared/parts/head.tsx";
import { List } from "../shared/parts/list.tsx";
import { Moment } from "../shared/parts/moment.tsx";
import { PhoneRow, phoneColumns } from "../shared/parts/phone-row.tsx";
import { capitalise, formatDay } from "../shared/state/format.ts";
import { useLoaded, useReloads } from "../shared/state/loading.ts";
import { isAllowed } from "../shared/state/permissions.ts";
import { ask, askUsage } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { Traffic } from "./traffic.tsx";

/** getUsage is not charged to the key. */
const USAGE_EVERY_MS = 5_000;

export function UsageView() {
  return (
    <>
      <Head title={t().placeNames.usage} />
      <OwnUsage />
      {isAllowed("getTrafficPeriods") && <Traffic />}
      {isAllowed("listKeys") && <OutdatedCallers />}
    </>
  );
}

function OwnUsage() {
  const loaded = useLoaded(askUsage, []);
  useReloads(loaded, USAGE_EVERY_MS);
  const { value: usage } = loaded.data;
  const { failure } = loaded;
  const texts = later().usage;
  const strong = (words: ComponentChildren) => <strong>{words}</strong>;
  return (
    <section aria-label={texts.thisKey} class="usage-windows">
      {failure.value !== undefined && <p role="alert">{failure.value}</p>}
      {usage && (
        <>
          <p>{texts.planAndAccess(strong(capitalise(usage.plan)), strong(t().keys.levels[usage.access]))}</p>
          {usage.ban && <p role="alert">{texts.bannedUntil(formatBanEnd(usage.ban))}</p>}
          <div class="pair">
            <Bar label={t().common.thisMinute} {...usage.minute} />
            <Bar label={t().common.thisDay} {...usage.day} />
          </div>
        </>
      )}
    </section>
  );
}

function OutdatedCallers() {
  const loaded = useLoaded(
    (signal) =>
      ask(async (client) => {
        const items = [];
        const query = { calls: "getPet", limit: PAGE_LIMIT_MAX } as const;
        for await (const key of client.listKeys(query, { signal })) items.push(key);
        return { items };
      }),
    [],
  );
  const { sunset } = OPERATIONS.getPet;
  const texts = later().usage;
  return (
    <section aria-labelledby="outdated">
      <h2 id="outdated">{texts.outdated}</h2>
      <p class="quiet">
        {sunset && `${texts.outdatedEnds(formatDay(sunset))} `}
        {texts.outdatedHint}
      </p>
      <List
        loaded={loaded}
        label={texts.outdated}
        columns={[t().common.number, t().common.name, texts.lastCall]}
        filter={({ state }) => state === "active"}
        empty={<p>{texts.noOutdated}</p>}
        phone={{
          columns: phoneColumns({ name: t().common.name, state: t().keys.state, kind: texts.lastCall }),
          row: ({ id, name, deprecatedUsedAt }) => (
            <PhoneRow
              key={String(id)}
              name={<EntryLink place="keys" id={id} name={name} />}
              facts={[
                t().common.numbered(String(id)),
                <>
                  {texts.lastCall} <Moment at={deprecatedUsedAt} />
                </>,
              ]}
            />
          ),
        }}
        row={({ id, name, deprecatedUsedAt }) => (
          <tr key={String(id)}>
            <td class="number">{String(id)}</td>
            <th scope="row">
              <EntryLink place="keys" id={id} name={name} />
            </th>
            <td>
              <Moment at={deprecatedUsedAt} />
            </td>
          </tr>
        )}
      />
    </section>
  );
}
