// Places an order, for a given animal or for one of those that are available.

import type { Pet } from "../../../client/src/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Choice, Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { useLoaded } from "../state/loading.ts";
import { notify } from "../state/notices.ts";
import { rememberPets } from "../state/pet-names.ts";
import { ask } from "../state/session.ts";
import { readIdentifier } from "./animal-form.tsx";

interface OrderFormProps {
  pet?: Pet;
  onClose: () => void;
  onDone: () => Promise<void>;
}

export function OrderForm({ pet, onClose, onDone }: OrderFormProps) {
  async function submit(fields: FormData): Promise<undefined> {
    const petId = pet?.id ?? readIdentifier(String(fields.get("petId")));
    const reference = String(fields.get("reference"));
    const order = await ask((client) => client.createOrder({ petId, reference }));
    notify(`Order ${order.id} is placed.`);
    await onDone();
    return undefined;
  }

  return (
    <Dialog title={pet === undefined ? "Place an order" : `Order ${pet.name}`} onClose={onClose}>
      <Form action="Place the order" onSubmit={submit} onCancel={onClose}>
        {pet === undefined && <AvailablePets />}
        <Field
          label="Reference"
          name="reference"
          maxLength={255}
          hint="Your own text, such as the number of your case. May stay empty."
        />
        <p class="quiet">
          The animal is held until somebody approves or cancels the order, or the hold ends.
        </p>
      </Form>
    </Dialog>
  );
}

function AvailablePets() {
  const { data, failure } = useLoaded(async () => {
    const page = await ask((client) => client.listPets({ status: "available", limit: 100 }).page());
    rememberPets(page.items);
    return page;
  }, []);
  if (failure.value !== undefined) return <p class="failure">{failure.value}</p>;
  if (data.value === undefined) return <p class="quiet">Loading the animals…</p>;
  const { items, next } = data.value;
  if (items.length === 0) return <p>No animal is available at the moment.</p>;
  if (next !== undefined)
    return <Field label="Id of the animal" name="petId" required inputMode="numeric" pattern="[0-9]+" />;
  const choices = items.map(({ id, name }) => [String(id), `${name} (${id})`] as [string, string]);
  return <Choice label="Animal" name="petId" choices={choices} />;
}
