// Places an order for a given animal, or for one of the available animals.

import type { ComponentChildren } from "preact";
import type { Page, Pet } from "../../../client/src/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Choice, Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { useLoaded } from "../state/loading.ts";
import { notify } from "../state/notices.ts";
import { rememberPets } from "../state/pet-names.ts";
import { ask, isAllowed } from "../state/session.ts";
import { readIdentifier } from "./animal-form.tsx";

interface OrderFormProps {
  pet?: Pet;
  onClose: () => void;
  onDone: () => Promise<void>;
  /** Called when the service refuses the order: the list behind the dialog may be out of date. */
  onRefused?: () => Promise<void>;
}

export function OrderForm({ pet, ...handlers }: OrderFormProps) {
  return (
    <Dialog title={pet === undefined ? "Place an order" : `Order ${pet.name}`} onClose={handlers.onClose}>
      {pet === undefined ? <FormForAny {...handlers} /> : <OrderFields pet={pet} {...handlers} />}
    </Dialog>
  );
}

/** Loads the available animals first. */
function FormForAny(handlers: Omit<OrderFormProps, "pet">) {
  const { data, failure, reload } = useLoaded(async (signal) => {
    const query = { status: "available", limit: 100 } as const;
    const page = await ask((client) => client.listPets(query, { signal }).page());
    rememberPets(page.items);
    return page;
  }, []);
  if (data.value === undefined && failure.value !== undefined) {
    return (
      <div role="alert">
        <p class="failure">{failure.value}</p>
        <button type="button" onClick={() => void reload()}>
          Try again
        </button>
      </div>
    );
  }
  if (data.value === undefined) return <p class="quiet">Loading the animals…</p>;
  if (data.value.items.length === 0) return <NoneAvailable />;
  const refused = async () => {
    await Promise.all([reload(), handlers.onRefused?.()]);
  };
  return (
    <OrderFields {...handlers} onRefused={refused}>
      <AvailablePets {...data.value} />
    </OrderFields>
  );
}

function NoneAvailable() {
  return (
    <p>
      <strong>No animal is available.</strong>
      <br />
      {isAllowed("createPet")
        ? "Add one, or make one available again, in "
        : "An animal becomes available when it is added or when its order ends. See "}
      <a href="#animals">Animals</a>.
    </p>
  );
}

function OrderFields(props: OrderFormProps & { children?: ComponentChildren }) {
  const { pet, onClose, onDone, onRefused, children } = props;

  async function submit(fields: FormData, signal: AbortSignal): Promise<undefined> {
    const petId = pet?.id ?? readIdentifier(String(fields.get("petId")));
    const reference = String(fields.get("reference"));
    try {
      const order = await ask((client) => client.createOrder({ petId, reference }, { signal }));
      notify(`Order ${order.id} is placed.`);
    } catch (error) {
      await onRefused?.();
      throw error;
    }
    await onDone();
    return undefined;
  }

  return (
    <Form action="Place the order" onSubmit={submit} onCancel={onClose}>
      {children}
      <Field
        label="Reference"
        name="reference"
        maxLength={255}
        hint="Optional text of yours, such as a case number."
      />
      <p class="quiet">
        The order holds the animal. It expires when the hold ends, unless it is approved first.
      </p>
    </Form>
  );
}

function AvailablePets({ items, next }: Page<Pet>) {
  if (next !== undefined) {
    return (
      <Field
        label="Id of the animal"
        name="petId"
        required
        inputMode="numeric"
        pattern="[0-9]+"
        autoFocus
        hint="More than 100 animals are available. The Animals page shows their ids."
      />
    );
  }
  const choices = items.map(({ id, name }) => [String(id), `${name} (${id})`] as [string, string]);
  return <Choice label="Animal" name="petId" choices={choices} />;
}
