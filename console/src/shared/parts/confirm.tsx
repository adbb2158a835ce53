// A dialog that asks for confirmation before an action that cannot be undone.

import type { ComponentChildren } from "preact";
import { t } from "../texts/language.ts";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { Form } from "./form.tsx";

interface ConfirmProps {
  title: ComponentChildren;
  action: string;
  keepLabel?: string | undefined;
  /** Text that must be typed to confirm, for actions where a click is not enough. */
  phrase?: string | undefined;
  isDangerous?: boolean;
  onConfirm: (signal: AbortSignal) => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
}

export function Confirm(props: ConfirmProps) {
  const { title, action, keepLabel, phrase, isDangerous = true, onConfirm, onClose, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        action={action}
        isDangerous={isDangerous}
        onCancel={onClose}
        cancelLabel={keepLabel}
        onSubmit={async (fields, signal) => {
          if (phrase !== undefined && normalizeSpace(String(fields.get("phrase"))) !== normalizeSpace(phrase))
            throw new Error(t().form.notConfirmed(phrase));
          await onConfirm(signal);
          // After a cancel, another dialog may already be open.
          if (!signal.aborted) onClose();
        }}
      >
        <p>{children}</p>
        {phrase !== undefined && (
          <Field label={t().form.typeToConfirm(phrase)} name="phrase" autocomplete="off" required />
        )}
      </Form>
    </Dialog>
  );
}

/** As the browser shows it: several spaces as one. */
function normalizeSpace(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}
