// One order of the list, with the moves that its status and the key allow.

import type { Order, Photo } from "../../../client/src/client.ts";
import { DAY_MS } from "../../../src/domain/basics/durations.ts";
import { Button } from "../shared/parts/button.tsx";
import { Moment } from "../shared/parts/moment.tsx";
import { PetLink } from "../shared/parts/pet-link.tsx";
import { Thumbnail } from "../shared/parts/thumbnail.tsx";
import { serviceNowMs } from "../shared/state/server-clock.ts";
import { t } from "../shared/texts/language.ts";
import { type Move, movesOf } from "./order-moves.tsx";

interface OrderRowProps {
  order: Order;
  /** The first photo of the animal. */
  cover: Photo | undefined;
  /** True while a move is sent. */
  isMoving: boolean;
  onMove: (move: Move) => void;
}

export function OrderRow({ order, cover, isMoving, onMove }: OrderRowProps) {
  const texts = t().orders;
  const id = String(order.id);
  return (
    <tr>
      <th scope="row">
        <span class="with-thumbnail">
          <Thumbnail photo={cover} />
          <span>
            {order.pet === undefined ? (
              <span class="quiet">{texts.deletedPet(String(order.petId))}</span>
            ) : (
              <PetLink pet={order.pet} />
            )}
            <small class="order-number">{texts.number(id)}</small>
          </span>
        </span>
      </th>
      <td>
        <span class={`status ${order.status}`}>{t().orderStatus[order.status]}</span>
      </td>
      <td data-label={texts.reference}>
        {order.reference ? <bdi>{order.reference}</bdi> : <span class="quiet">{t().common.none}</span>}
      </td>
      <td data-label={texts.placed}>
        <Moment at={order.createdAt} />
      </td>
      <td data-label={texts.holdEnds}>
        <Hold expiresAt={order.expiresAt} />
      </td>
      <td class="actions">
        {movesOf(order).map((move) => (
          <Button
            key={move}
            label={texts.move[move]}
            name={texts.moveLabel(texts.move[move], id)}
            isOff={isMoving}
            onClick={({ detail }) => {
              // The second click of a double-click may hit the button of the next move.
              if (detail <= 1) onMove(move);
            }}
          />
        ))}
      </td>
    </tr>
  );
}

function Hold({ expiresAt }: { expiresAt: string | undefined }) {
  if (expiresAt === undefined) return <span class="quiet">–</span>;
  const isSoon = Date.parse(expiresAt) - serviceNowMs() < DAY_MS;
  if (!isSoon) return <Moment at={expiresAt} />;
  return (
    <strong class="soon">
      <Moment at={expiresAt} /> {t().orders.endsSoon}
    </strong>
  );
}
