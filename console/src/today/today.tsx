// The first page: what waits, what an animal lacks, and what has changed. Each row leads to the place where it is done.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { Listing, Order } from "../../../client/src/client.ts";
import { AddAnimal } from "../animals/add-animal.tsx";
import { Button } from "../shared/parts/button.tsx";
import { Head } from "../shared/parts/head.tsx";
import { HoldEnd } from "../shared/parts/hold-end.tsx";
import { useLiveList } from "../shared/parts/live-list.ts";
import { LoadFailure } from "../shared/parts/load-failure.tsx";
import { Moment } from "../shared/parts/moment.tsx";
import { Thumbnail } from "../shared/parts/thumbnail.tsx";
import { formatCount } from "../shared/state/format.ts";
import type { Loaded } from "../shared/state/loading.ts";
import { isAllowed } from "../shared/state/permissions.ts";
import { hrefOf } from "../shared/state/place.ts";
import { isNarrow } from "../shared/state/viewport.ts";
import { t } from "../shared/texts/language.ts";
import type { Sentence } from "../shared/texts/say.ts";
import type { createDoneReader } from "./read-done.ts";
import {
  arrivalOf,
  lacksPhoto,
  lacksStory,
  readChanged,
  readNeeds,
  readWaiting,
  SHOWN,
} from "./read-today.ts";

type DoneReader = ReturnType<typeof createDoneReader>;

interface TodayProps {
  /** From the views that are loaded on demand. */
  loadReader: () => Promise<DoneReader>;
}

export function Today({ loadReader }: TodayProps) {
  const isAdding = useSignal(false);
  return (
    <>
      <Head title={t().placeNames.today}>
        {/* On a phone, the bottom bar has it. */}
        {isAllowed("createPet") && !isNarrow.value && (
          <Button kind="primary" label={t().animals.add} onClick={() => (isAdding.value = true)} />
        )}
      </Head>
      <div class="today">
        {isAllowed("listOrders") && <WaitingCards />}
        <NeedsCards />
        {isAllowed("listPetHistory") ? <DoneCard loadReader={loadReader} /> : <ChangedCard />}
      </div>
      {/* What is added arrives by its event, once the form is closed. */}
      {isAdding.value && <AddAnimal onClose={() => (isAdding.value = false)} onAdded={async () => {}} />}
    </>
  );
}

function WaitingCards() {
  const loaded = useLiveList((signal, retries) => readWaiting({ signal, retries }), [], {
    kinds: ["order", "pet"],
  });
  const waiting = loaded.data.value;
  const texts = t().today;
  return (
    <>
      <Card
        title={texts.placed}
        count={waiting?.counts.placed}
        all={hrefOf("orders", undefined, { status: "placed" })}
        none={texts.nonePlaced}
        loaded={loaded}
      >
        {waiting?.placed.map((order) => (
          <OrderLine key={String(order.id)} order={order} />
        ))}
      </Card>
      <Card
        title={texts.approved}
        count={waiting?.counts.approved}
        all={hrefOf("orders", undefined, { status: "approved" })}
        none={texts.noneApproved}
        loaded={loaded}
      >
        {waiting?.approved.map((order) => (
          <OrderLine key={String(order.id)} order={order} />
        ))}
      </Card>
    </>
  );
}

/** Leads to the order with its buttons. */
function OrderLine({ order: { id, pet, petId, reference, expiresAt, updatedAt } }: { order: Order }) {
  return (
    <Line
      href={hrefOf("orders", undefined, { petId: String(petId) })}
      name={pet?.name ?? t().orders.deletedPet(String(petId))}
      detail={reference ? <bdi>{reference}</bdi> : t().orders.number(String(id))}
    >
      {expiresAt === undefined ? (
        <Moment at={updatedAt} />
      ) : (
        <span class="hold-end">
          {t().today.ends} <HoldEnd at={expiresAt} />
        </span>
      )}
    </Line>
  );
}

function NeedsCards() {
  const loaded = useLiveList((signal, retries) => readNeeds({ signal, retries }), [], {
    kinds: ["pet", "listing"],
  });
  const needs = loaded.data.value;
  const texts = t().today;
  return (
    <>
      {isAllowed("updateProfile") && (
        <Card
          title={texts.incomplete}
          count={needs?.incomplete.length}
          none={needs?.longest.length === 0 ? texts.incompleteLater : texts.noneIncomplete}
          loaded={loaded}
          hint={needs?.isPart ? texts.onlyPart : undefined}
        >
          {needs?.incomplete.slice(0, SHOWN).map((animal) => (
            <AnimalLine key={String(animal.id)} animal={animal} detail={describeLack(animal)} />
          ))}
        </Card>
      )}
      <Card
        title={texts.longest}
        all={hrefOf("animals", undefined, { sort: "oldest" })}
        none={texts.noAnimals}
        loaded={loaded}
        hint={needs?.isPart ? texts.onlyPart : undefined}
      >
        {needs?.longest.map((animal) => (
          <AnimalLine key={String(animal.id)} animal={animal} detail={t().petStatus[animal.status]}>
            <Moment at={arrivalOf(animal)} />
          </AnimalLine>
        ))}
      </Card>
    </>
  );
}

function describeLack(animal: Listing): string {
  const { photo, story } = t().today.lacks;
  return [lacksPhoto(animal) && photo, lacksStory(animal) && story].filter(Boolean).join(", ");
}

/** What others did, with their names. */
function DoneCard({ loadReader }: TodayProps) {
  const reader = useRef<Promise<DoneReader> | undefined>(undefined);
  const loaded = useLiveList(
    async (signal, retries) => {
      reader.current ??= loadReader();
      // It is loaded again after a failure.
      reader.current.catch(() => (reader.current = undefined));
      return (await reader.current)({ signal, retries });
    },
    [],
    { kinds: ["pet", "order", "listing"] },
  );
  const texts = t().today;
  return (
    <Card title={texts.done} none={texts.noneDone} loaded={loaded}>
      {loaded.data.value?.items.map(({ petId, listing, name, at, href, describe }) => (
        <Line
          key={String(petId)}
          href={href}
          name={name}
          detail={describe()}
          picture={<Thumbnail animal={listing} />}
        >
          <Moment at={at} />
        </Line>
      ))}
    </Card>
  );
}

/** For a key that may not read who did it. */
function ChangedCard() {
  const loaded = useLiveList(
    async (signal, retries) => ({ items: await readChanged({ signal, retries }) }),
    [],
    { kinds: ["pet", "listing"] },
  );
  const texts = t().today;
  return (
    <Card title={texts.changed} none={texts.noneChanged} loaded={loaded}>
      {loaded.data.value?.items.map((animal) => (
        <AnimalLine key={String(animal.id)} animal={animal} detail={t().petStatus[animal.status]}>
          <Moment at={animal.updatedAt} />
        </AnimalLine>
      ))}
    </Card>
  );
}

interface CardProps {
  title: string;
  count?: number | undefined;
  /** The address of the whole list. */
  all?: string;
  none: string;
  hint?: string | undefined;
  loaded: Loaded<unknown>;
  children: ComponentChildren[] | undefined;
}

/** While one is busy, the style shows the first alone, so that nothing moves when the rows of another arrive. */
function Card({ title, count, all, none, hint, loaded, children }: CardProps) {
  return (
    <section aria-label={title} aria-busy={children === undefined && loaded.failure.value === undefined}>
      <header>
        <h2>
          <span>{title}</span>
          {count !== undefined && count > 0 && <span class="badge-count">{formatCount(count)}</span>}
        </h2>
        {all !== undefined && (
          <a href={all} aria-label={`${t().common.showAll}: ${title}`}>
            {t().common.showAll}
          </a>
        )}
      </header>
      {hint !== undefined && <small>{hint}</small>}
      {children === undefined ? (
        loaded.failure.value === undefined ? (
          <p class="quiet">{t().common.loading}</p>
        ) : (
          <LoadFailure loaded={loaded} />
        )
      ) : children.length === 0 ? (
        <p class="quiet">{none}</p>
      ) : (
        <ul>{children}</ul>
      )}
    </section>
  );
}

interface AnimalLineProps {
  animal: Listing;
  detail: Sentence;
  children?: ComponentChildren;
}

function AnimalLine({ animal, detail, children }: AnimalLineProps) {
  const { id, name } = animal;
  return (
    <Line
      href={hrefOf("animals", String(id))}
      name={name}
      detail={detail}
      picture={<Thumbnail animal={animal} />}
    >
      {children}
    </Line>
  );
}

interface LineProps {
  href: string;
  name: string;
  detail: Sentence;
  picture?: ComponentChildren;
  children?: ComponentChildren;
}

/** One target, with the name as its words. */
function Line({ href, name, detail, picture, children }: LineProps) {
  return (
    <li>
      {picture}
      <span class="line-words">
        <a href={href}>
          <bdi>{name}</bdi>
        </a>
        <small>{detail}</small>
      </span>
      {children}
    </li>
  );
}
