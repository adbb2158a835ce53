// The invitations of the store with their state: links that were not opened can be withdrawn, or replaced by a new one.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { type CreatedInvitation, type Invitation, VALUES } from "../../../client/src/client.ts";
import { Confirm } from "../shared/parts/confirm.tsx";
import { Dialog } from "../shared/parts/dialog.tsx";
import { Form } from "../shared/parts/form.tsx";
import { List, Pager, useDialogPaging } from "../shared/parts/list.tsx";
import { phoneColumns } from "../shared/parts/phone-row.tsx";
import { Pills } from "../shared/parts/pills.tsx";
import { formatMoment } from "../shared/state/format.ts";
import { useLoaded } from "../shared/state/loading.ts";
import { notify } from "../shared/state/notices.ts";
import { ask } from "../shared/state/session.ts";
import { hasSeveralShelters } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { InvitationRow, PhoneInvitationRow } from "./invitation-row.tsx";
import { NewLink } from "./invite.tsx";
import { useRefreshes } from "./use-refreshes.ts";

type Opened = { revoked: Invitation } | { renewed: Invitation } | { issued: CreatedInvitation } | undefined;

/** `changed` is another value after each change outside. */
export function Invitations({ changed }: { changed: number }) {
  const status = useSignal<Invitation["status"]>("open");
  const opened = useSignal<Opened>(undefined);
  const paging = useDialogPaging();
  const loaded = useLoaded(
    (signal) => {
      const query = { status: status.value, cursor: paging.cursor };
      return ask((client) => client.listInvitations(query, { signal }).page());
    },
    [status.value, paging.cursor, changed],
  );
  useRefreshes(loaded);
  const texts = later().people;
  const rowOf = (Row: typeof InvitationRow) => (invitation: Invitation) => (
    <Row
      key={String(invitation.id)}
      invitation={invitation}
      onRevoke={() => (opened.value = { revoked: invitation })}
      onRenew={() => (opened.value = { renewed: invitation })}
    />
  );
  return (
    <section aria-labelledby="invitations">
      <h2 id="invitations">{texts.invitations}</h2>
      <div class="tools">
        <Pills
          label={texts.invitations}
          pills={VALUES.InvitationStatus.map((value) => ({ value, text: texts.invitationStates[value] }))}
          chosen={status.value}
          onChoose={(value) => {
            paging.restart();
            status.value = value;
          }}
        />
      </div>
      <List
        loaded={loaded}
        label={texts.invitations}
        className="people-list"
        columns={[
          t().common.name,
          t().keys.access,
          ...(hasSeveralShelters() ? [t().shelters.one] : []),
          texts.created,
          texts.ends[status.value],
          t().common.actions,
        ]}
        empty={<p>{texts.noInvitations[status.value]}</p>}
        row={rowOf(InvitationRow)}
        phone={{
          columns: phoneColumns({
            name: t().common.name,
            state: t().keys.state,
            kind: t().keys.access,
            also: texts.ends[status.value],
            actions: t().common.actions,
          }),
          row: rowOf(PhoneInvitationRow),
        }}
      />
      <Pager paging={paging} next={loaded.data.value?.next} isLoading={loaded.isLoading.value} />
      <Dialogs
        opened={opened.value}
        onIssued={(issued) => {
          opened.value = { issued };
          // Not when the link is closed: until then, the list would offer to withdraw the old one.
          void loaded.reload();
        }}
        onChanged={loaded.reload}
        onClose={() => (opened.value = undefined)}
      />
    </section>
  );
}

interface DialogsProps {
  opened: Opened;
  onIssued: (issued: CreatedInvitation) => void;
  onChanged: () => Promise<void>;
  onClose: () => void;
}

function Dialogs({ opened, onIssued, onChanged, onClose }: DialogsProps) {
  if (opened === undefined) return null;
  if ("issued" in opened) return <NewLink invitation={opened.issued} onClose={onClose} />;
  if ("revoked" in opened)
    return <Withdraw invitation={opened.revoked} onDone={onChanged} onClose={onClose} />;
  return <Renew invitation={opened.renewed} onIssued={onIssued} onClose={onClose} />;
}

interface WithdrawProps {
  invitation: Invitation;
  onDone: () => Promise<void>;
  onClose: () => void;
}

function Withdraw({ invitation: { id, name }, onDone, onClose }: WithdrawProps) {
  const texts = later().people;

  async function withdraw(signal: AbortSignal): Promise<void> {
    await ask((client) => client.revokeInvitation(id, { signal }));
    notify(texts.withdrawn(name));
    await onDone();
  }

  return (
    <Confirm
      title={texts.withdrawTitle(name)}
      action={texts.withdrawAction}
      keepLabel={texts.keepInvitation}
      onConfirm={withdraw}
      onClose={onClose}
    >
      {texts.withdrawHint}
    </Confirm>
  );
}

interface RenewProps {
  invitation: Invitation;
  onIssued: (issued: CreatedInvitation) => void;
  onClose: () => void;
}

/** The service stores no link, so that one that was lost can only be replaced. */
function Renew({ invitation, onIssued, onClose }: RenewProps) {
  const { id, name, access, shelterId, personId, status, expiresAt } = invitation;
  const texts = later().people;
  /** For a second attempt, if only the first of the two requests succeeds. */
  const isOpen = useRef(status === "open");

  /** First the old one: otherwise both could be used. */
  async function renew(_fields: FormData, signal: AbortSignal): Promise<void> {
    if (isOpen.current) await ask((client) => client.revokeInvitation(id, { signal }));
    isOpen.current = false;
    const settings = { name, access, ...(shelterId !== undefined && { shelterId }) };
    const invited = personId === undefined ? settings : { personId };
    onIssued(await ask((client) => client.createInvitation(invited, { signal })));
  }

  return (
    <Dialog title={texts.renewTitle(name)} onClose={onClose}>
      <Form action={texts.renew} onSubmit={renew} onCancel={onClose}>
        <p>{status === "open" ? texts.renewHint : texts.renewExpiredHint(formatMoment(expiresAt))}</p>
      </Form>
    </Dialog>
  );
}
