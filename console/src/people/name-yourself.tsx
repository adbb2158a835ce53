// The form by which the user of a key that belongs to nobody becomes a person: an invitation, accepted in the same browser at once.

import { useRef } from "preact/hooks";
import { PERSON_NAME_MAX } from "../../../src/domain/basics/text-limits.ts";
import { Dialog } from "../shared/parts/dialog.tsx";
import { NameField } from "../shared/parts/field.tsx";
import { Form } from "../shared/parts/form.tsx";
import { notify } from "../shared/state/notices.ts";
import { acceptInvitation, ask, signIn } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { DeviceFields, readDevice } from "../sign-in/device-fields.tsx";
import { findCode } from "../sign-in/join-code.ts";

export function NameYourself({ onClose }: { onClose: () => void }) {
  const texts = later().people.yourself;
  /** The invitation, and then its key: each is created once, also if a later step fails and is tried again. */
  const code = useRef<string | undefined>(undefined);
  const accepted = useRef<string | undefined>(undefined);

  async function submit(fields: FormData): Promise<void> {
    const name = String(fields.get("name")).trim();
    const { device, isRemembered } = readDevice(fields);
    code.current ??= await inviteYourself(name);
    const wanted = { code: code.current, ...(device && { device }) };
    accepted.current ??= (await acceptInvitation(wanted, isRemembered)).key;
    await signIn(accepted.current, { isRemembered });
    notify(t().join.welcome(name));
    onClose();
  }

  return (
    <Dialog title={texts.title} onClose={onClose}>
      <Form action={texts.action} onSubmit={submit} onCancel={onClose}>
        <p>{texts.about}</p>
        <NameField name="name" label={texts.name} maxLength={PERSON_NAME_MAX} />
        <DeviceFields />
        <p class="quiet">{texts.keepKey}</p>
      </Form>
    </Dialog>
  );
}

async function inviteYourself(name: string): Promise<string> {
  const { url } = await ask((client) => client.createInvitation({ name, access: "admin" }));
  return findCode(url) ?? "";
}
