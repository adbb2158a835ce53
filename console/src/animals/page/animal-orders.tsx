// The orders of one animal, the newest first.

import type { Int64 } from "../../../../client/src/client.ts";
import { useLiveList } from "../../shared/parts/live-list.ts";
import { LoadFailure } from "../../shared/parts/load-failure.tsx";
import { Moment } from "../../shared/parts/moment.tsx";
import { petIdOf } from "../../shared/state/live.ts";
import { hrefOf } from "../../shared/state/place.ts";
import { ask } from "../../shared/state/session.ts";
import { t } from "../../shared/texts/language.ts";

const SHOWN = 5;

export function AnimalOrders({ petId }: { petId: Int64 }) {
  const query = { petId, sort: "newest", limit: SHOWN } as const;
  const loaded = useLiveList(
    (signal, retries) => ask((client) => client.listOrders(query, { signal, retries }).page()),
    [petId],
    { kinds: ["order"], isRelevant: (event) => petIdOf(event) === String(petId) },
  );
  const page = loaded.data.value;
  return (
    <section aria-labelledby="orders">
      <h2 id="orders">{t().placeNames.orders}</h2>
      <LoadFailure loaded={loaded} />
      {page?.items.length === 0 && <p class="quiet">{t().animal.noOrders}</p>}
      <ul class="entries">
        {page?.items.map((order) => (
          <li key={String(order.id)}>
            <span class={`status ${order.status}`}>{t().orderStatus[order.status]}</span>{" "}
            {t().orders.number(String(order.id))} {order.reference && <bdi>{order.reference}</bdi>}{" "}
            <small>
              <Moment at={order.createdAt} />
            </small>
          </li>
        ))}
      </ul>
      {page !== undefined && page.items.length > 0 && (
        <p>
          <a href={hrefOf("orders", undefined, { petId: String(petId) })}>{t().animal.allOrders}</a>
        </p>
      )}
    </section>
  );
}
