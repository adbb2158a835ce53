// One order of the list, with the moves that its status and the key allow.

import type { Listing, Order } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import { HoldEnd } from "../shared/parts/hold-end.tsx";
import { Menu, type MenuItem } from "../shared/parts/menu.tsx";
import { Moment } from "../shared/parts/moment.tsx";
import { PetLink } from "../shared/parts/pet-link.tsx";
import { PhoneRow } from "../shared/parts/phone-row.tsx";
import { rowLink } from "../shared/parts/row-link.ts";
import { Thumbnail } from "../shared/parts/thumbnail.tsx";
import { t } from "../shared/texts/language.ts";
import { isNextStep, type Move, movesOf } from "./order-moves.tsx";

interface OrderRowProps {
  order: Order;
  /** Undefined for one that was deleted, or could not be read. */
  animal: Listing | undefined;
  /** True while a move is sent. */
  isMoving: boolean;
  onMove: (move: Move) => void;
}

/** A click on it opens the animal, whose page shows the adoption. */
export function OrderRow({ order, animal, isMoving, onMove }: OrderRowProps) {
  const texts = t().orders;
  const id = String(order.id);
  return (
    <tr {...rowLink}>
      <th scope="row">
        <span class="with-thumbnail">
          <Thumbnail animal={animal} />
          <span>
            <AnimalName order={order} />
            <small class="order-number">{texts.number(id)}</small>
          </span>
        </span>
      </th>
      <td>
        <span class={`status ${order.status}`}>{t().orderStatus[order.status]}</span>
      </td>
      <td data-label={texts.holdEnds} class="hold">
        {order.expiresAt !== undefined && <HoldEnd at={order.expiresAt} />}
      </td>
      <td data-label={texts.reference} class="reference">
        {order.reference && <bdi title={order.reference}>{order.reference}</bdi>}
      </td>
      <td data-label={texts.placed} class="since">
        <Moment at={order.createdAt} />
      </td>
      <td class="actions">
        <Moves order={order} isMoving={isMoving} onMove={onMove} />
      </td>
    </tr>
  );
}

/** A touch opens the animal with the next step. One that was deleted has no page: there it opens a menu with all steps. */
export function PhoneOrderRow({ order, animal, isMoving, onMove }: OrderRowProps) {
  const texts = t().orders;
  const number = texts.number(String(order.id));
  const items = movesOf(order).map((move) => toItem(move, isMoving, onMove));
  return (
    <PhoneRow
      photo={<Thumbnail animal={animal} />}
      name={<AnimalName order={order} />}
      state={<span class={`status ${order.status}`}>{t().orderStatus[order.status]}</span>}
      facts={[
        order.expiresAt === undefined ? (
          <Moment at={order.updatedAt} />
        ) : (
          <>
            {texts.holdEnds} <HoldEnd at={order.expiresAt} />
          </>
        ),
      ]}
      others={[number, order.reference]}
      menu={order.pet === undefined ? { name: t().animals.actionsFor(number), items } : undefined}
    />
  );
}

function AnimalName({ order: { pet, petId } }: Pick<OrderRowProps, "order">) {
  if (pet !== undefined) return <PetLink pet={pet} />;
  return <span class="quiet">{t().orders.deletedPet(String(petId))}</span>;
}

/** The next step as a button; what ends or undoes the adoption is in a menu. */
function Moves({ order, isMoving, onMove }: Pick<OrderRowProps, "order" | "isMoving" | "onMove">) {
  const texts = t().orders;
  const id = String(order.id);
  const moves = movesOf(order);
  const others = moves.filter((move) => !isNextStep(move));
  const items = others.map((move) => toItem(move, isMoving, onMove));
  return (
    <>
      {moves.filter(isNextStep).map((move) => (
        <Button
          key={move}
          kind="primary"
          label={texts.move[move]}
          name={texts.moveLabel(texts.move[move], id)}
          isOff={isMoving}
          onClick={({ detail }) => {
            // The second click of a double-click may hit the button of the next move.
            if (detail <= 1) onMove(move);
          }}
        />
      ))}
      {items.length > 0 && (
        <Menu name={t().animals.actionsFor(texts.number(id))} items={items}>
          ⋯
        </Menu>
      )}
    </>
  );
}

function toItem(move: Move, isMoving: boolean, onMove: (move: Move) => void): MenuItem {
  const label = t().orders.move[move];
  const words = isNextStep(move) ? { label } : { label: `${label}…`, kind: "danger" };
  return { ...words, isOff: isMoving, onChoose: () => onMove(move) };
}
