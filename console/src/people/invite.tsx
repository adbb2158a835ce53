// Invites a new person, or a known one to another device: a form, and then the link, which is shown this once.

import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import type { Access, CreatedInvitation, Person } from "../../../client/src/client.ts";
import { Dialog } from "../shared/parts/dialog.tsx";
import { Choice } from "../shared/parts/field.tsx";
import { Form } from "../shared/parts/form.tsx";
import { formatMoment } from "../shared/state/format.ts";
import { ask } from "../shared/state/session.ts";
import { later } from "../shared/texts/pages.ts";
import { JoinLink } from "./join-link.tsx";
import { expiryAfter, expiryChoices } from "./people-words.ts";
import { PersonFields, readSettings } from "./person-fields.tsx";

interface InviteProps {
  /** Who gets another device; a new person if absent. */
  person?: Person;
  /** Called after an invitation was created, too. */
  onClose: () => void;
}

export function Invite({ person, onClose }: InviteProps) {
  const texts = later().people;
  const issued = useSignal<CreatedInvitation | undefined>(undefined);
  if (issued.value !== undefined) return <NewLink invitation={issued.value} onClose={onClose} />;
  return (
    <Dialog title={person === undefined ? texts.invite : texts.deviceFor(person.name)} onClose={onClose}>
      <InviteForm person={person} onCancel={onClose} onIssued={(invitation) => (issued.value = invitation)} />
    </Dialog>
  );
}

interface InviteFormProps {
  person: Person | undefined;
  onCancel: () => void;
  onIssued: (invitation: CreatedInvitation) => void;
}

function InviteForm({ person, onCancel, onIssued }: InviteFormProps) {
  const texts = later().people;
  const access = useSignal<Access>(person?.access ?? "manage");
  const hours = useSignal("");
  const choices = expiryChoices(access.value);
  // Another access can have other choices.
  const chosen = choices.some(([value]) => value === hours.value) ? hours.value : choices[0]?.[0];

  async function submit(fields: FormData, signal: AbortSignal): Promise<void> {
    const expiresAt = expiryAfter(String(fields.get("hours")), access.value);
    const { shelterId, ...settings } = readSettings(fields);
    const invited =
      person === undefined ? { ...settings, ...(shelterId && { shelterId }) } : { personId: person.id };
    const invitation = { ...invited, ...(expiresAt && { expiresAt }) };
    onIssued(await ask((client) => client.createInvitation(invitation, { signal })));
  }

  return (
    <Form action={texts.inviteAction} onSubmit={submit} onCancel={onCancel}>
      <p>{person === undefined ? texts.inviteHint : texts.deviceHint}</p>
      {person === undefined && <PersonFields access={access} />}
      <Choice
        label={texts.lastsFor}
        name="hours"
        choices={choices}
        value={chosen}
        onChange={(event) => (hours.value = event.currentTarget.value)}
        hint={access.value === "admin" ? texts.adminHint : undefined}
      />
    </Form>
  );
}

interface NewLinkProps {
  invitation: CreatedInvitation;
  onClose: () => void;
}

export function NewLink({ invitation: { name, url, expiresAt }, onClose }: NewLinkProps) {
  const texts = later().people.link;
  // A second Enter after the form must not close the dialog: the link is shown only once.
  useLayoutEffect(() => document.querySelector<HTMLElement>("dialog[open] .primary")?.focus(), []);
  return (
    <Dialog title={texts.title(name)} onClose={onClose}>
      <JoinLink url={url} onClose={onClose}>
        <p>{texts.hint(name)}</p>
        <p>{texts.once(formatMoment(expiresAt))}</p>
      </JoinLink>
    </Dialog>
  );
}
