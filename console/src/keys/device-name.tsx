// The name of a person's device: all that can be changed of its key.

import { useSignal } from "@preact/signals";
import type { ApiKey } from "../../../client/src/client.ts";
import { KEY_NAME_MAX } from "../../../src/domain/basics/text-limits.ts";
import { Field } from "../shared/parts/field.tsx";
import { Form } from "../shared/parts/form.tsx";
import { ask } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";

interface DeviceNameProps {
  apiKey: ApiKey;
  onSaved: () => Promise<void>;
}

export function DeviceName({ apiKey, onSaved }: DeviceNameProps) {
  const saved = useSignal(apiKey.name);

  async function submit(fields: FormData, signal: AbortSignal): Promise<string> {
    const name = String(fields.get("name")).trim();
    if (name === saved.value) return t().form.nothingChanged;
    await ask((client) => client.updateKey(apiKey.id, { name }, { signal }));
    saved.value = name;
    await onSaved();
    return t().form.saved;
  }

  return (
    <Form action={t().form.save} onSubmit={submit}>
      <Field
        label={t().common.name}
        name="name"
        required
        maxLength={KEY_NAME_MAX}
        defaultValue={saved.value}
        missing={t().common.enterName}
        dir="auto"
        autocomplete="off"
      />
    </Form>
  );
}
