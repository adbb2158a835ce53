// Asks before something that cannot be taken back.

import type { ComponentChildren } from "preact";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { Form } from "./form.tsx";

interface ConfirmProps {
  title: string;
  action: string;
  /** Has to be typed first, where a click alone would be too little. */
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
          if (phrase !== undefined && asShown(String(fields.get("phrase"))) !== asShown(phrase))
            throw new Error(`Nothing was done: type ${phrase} first, exactly as it is written.`);
          await onConfirm(signal);
          // After a cancel another dialog may be open.
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

/** A page shows several spaces as one. */
function asShown(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}
