// A dialog that asks for confirmation before an action that cannot be undone.

import type { ComponentChildren } from "preact";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { Form } from "./form.tsx";

interface ConfirmProps {
  title: string;
  action: string;
  /** Text that must be typed to confirm, for actions where a click is not enough. */
  phrase?: string | undefined;
  onConfirm: (signal: AbortSignal) => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
}

export function Confirm({ title, action, phrase, onConfirm, onClose, children }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        action={action}
        isDangerous
        onCancel={onClose}
        onSubmit={async (fields, signal) => {
          if (phrase !== undefined && normalizeSpace(String(fields.get("phrase"))) !== normalizeSpace(phrase))
            throw new Error(`Nothing was changed. Type ${phrase} exactly to confirm.`);
          await onConfirm(signal);
          // After a cancel, another dialog may already be open.
          if (!signal.aborted) onClose();
          return undefined;
        }}
      >
        <p>{children}</p>
        {phrase !== undefined && (
          <Field label={`Type ${phrase} to confirm`} name="phrase" autocomplete="off" required />
        )}
      </Form>
    </Dialog>
  );
}

/** As the browser shows it: several spaces as one. */
function normalizeSpace(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}
