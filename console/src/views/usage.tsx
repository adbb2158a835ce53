// The usage of the signed-in key; for admins also the traffic and the callers of deprecated operations.

import { OPERATIONS } from "../../../client/src/client.ts";
import { Bar } from "../parts/bar.tsx";
import { List } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { capitalise, formatClock, formatDay } from "../state/format.ts";
import { useLoaded, useRepeated } from "../state/loading.ts";
import { ask, askUsage, isAllowed } from "../state/session.ts";
import { TrafficChart } from "./traffic-chart.tsx";

/** getUsage is not charged to the key; getTraffic is. */
const USAGE_EVERY_MS = 5_000;
const TRAFFIC_EVERY_MS = 20_000;

export function UsageView() {
  const { data, failure, isLoading, reload } = useLoaded(askUsage, []);
  // A slow read is not interrupted by the next one.
  useRepeated(() => {
    if (!isLoading.value) void reload();
  }, USAGE_EVERY_MS);
  const usage = data.value;
  return (
    <>
      <div class="head">
        <h1>Usage</h1>
      </div>
      {failure.value !== undefined && <p role="alert">{failure.value}</p>}
      {usage && (
        <section aria-label="This key">
          <p>
            Plan <strong>{capitalise(usage.plan)}</strong>, access <strong>{capitalise(usage.access)}</strong>
          </p>
          {usage.ban && <p role="alert">Banned until {formatClock(new Date(usage.ban.reset * 1000))}.</p>}
          <div class="pair">
            <Bar label="This minute" {...usage.minute} />
            <Bar label="This day" {...usage.day} />
          </div>
        </section>
      )}
      {isAllowed("getTraffic") && <TrafficSection />}
      {isAllowed("listKeys") && <DeprecatedCallers />}
    </>
  );
}

function TrafficSection() {
  const { data, failure, isLoading, reload } = useLoaded(
    (signal) => ask((client) => client.getTraffic({ signal })),
    [],
  );
  useRepeated(() => {
    if (!isLoading.value) void reload();
  }, TRAFFIC_EVERY_MS);
  return (
    <section aria-labelledby="traffic">
      <h2 id="traffic">Requests in the last hour</h2>
      {failure.value !== undefined && <p role="alert">{failure.value}</p>}
      {data.value && <TrafficChart minutes={data.value} />}
    </section>
  );
}

function DeprecatedCallers() {
  const loaded = useLoaded(
    (signal) =>
      ask(async (client) => {
        const items = [];
        const query = { calls: "getPet", limit: 100 } as const;
        for await (const key of client.listKeys(query, { signal })) items.push(key);
        return { items };
      }),
    [],
  );
  const { sunset } = OPERATIONS.getPet;
  return (
    <section aria-labelledby="deprecated">
      <h2 id="deprecated">Keys that still call getPet</h2>
      <p class="quiet">
        {sunset && `This operation ends on ${formatDay(sunset)}. `}Tell the owners of these keys.
      </p>
      <List
        loaded={loaded}
        label="Keys that still call getPet"
        columns={["Id", "Name", "Last call"]}
        filter={({ state }) => state === "active"}
        empty={<p>No active key has called it. There is nothing to do.</p>}
        row={({ id, name, deprecatedUsedAt }) => (
          <tr key={String(id)}>
            <td class="number">{String(id)}</td>
            <th scope="row">{name}</th>
            <td>
              <Moment at={deprecatedUsedAt} />
            </td>
          </tr>
        )}
      />
    </section>
  );
}
