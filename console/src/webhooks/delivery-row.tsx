// One delivery of the list.

import type { Delivery } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import { Moment } from "../shared/parts/moment.tsx";
import { PhoneRow } from "../shared/parts/phone-row.tsx";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { describeResult, typeLabels } from "./webhook-words.ts";

interface DeliveryRowProps {
  delivery: Delivery;
  onReplay: () => void;
}

export function DeliveryRow({ delivery, onReplay }: DeliveryRowProps) {
  const { number, status, lastAttemptAt, nextAttemptAt } = delivery;
  const texts = later().deliveries;
  return (
    <tr>
      <th scope="row">
        <DeliveryName delivery={delivery} />
      </th>
      <td>
        <span class={`status ${status}`}>{texts.states[status]}</span>
      </td>
      <td class="beside">{describeResult(delivery)}</td>
      <td data-label={texts.lastAttempt}>
        <Moment at={lastAttemptAt} />
      </td>
      <td data-label={texts.nextAttempt}>
        <Moment at={nextAttemptAt} never="–" isAhead />
      </td>
      <td class="actions">
        <Button label={texts.sendAgain} name={texts.sendAgainOne(String(number))} onClick={onReplay} />
      </td>
    </tr>
  );
}

export function PhoneDeliveryRow({ delivery, onReplay }: DeliveryRowProps) {
  const { number, status, lastAttemptAt, nextAttemptAt } = delivery;
  const texts = later().deliveries;
  return (
    <PhoneRow
      name={<DeliveryName delivery={delivery} />}
      state={<span class={`status ${status}`}>{texts.states[status]}</span>}
      facts={[describeResult(delivery)]}
      others={[
        <>
          {texts.lastAttempt} <Moment at={lastAttemptAt} />
        </>,
        nextAttemptAt && (
          <>
            {texts.nextAttempt} <Moment at={nextAttemptAt} isAhead />
          </>
        ),
      ]}
      menu={{
        name: t().animals.actionsFor(texts.number(String(number))),
        items: [{ label: texts.sendAgain, onChoose: onReplay }],
      }}
    />
  );
}

function DeliveryName({ delivery: { type, number } }: Pick<DeliveryRowProps, "delivery">) {
  return (
    <>
      {typeLabels()[type]} <span class="quiet">{later().deliveries.number(String(number))}</span>
    </>
  );
}
