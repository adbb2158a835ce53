// Asks before something that cannot be taken back.

import type { ComponentChildren } from "preact";
import { Dialog } from "./dialog.tsx";
import { Form } from "./form.tsx";

interface ConfirmProps {
  title: string;
  action: string;
  onConfirm: (signal: AbortSignal) => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
}

export function Confirm({ title, action, onConfirm, onClose, children }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        action={action}
        isDangerous
        onCancel={onClose}
        onSubmit={async (_, signal) => {
          await onConfirm(signal);
          // After a cancel another dialog may be open.
          if (!signal.aborted) onClose();
          return undefined;
        }}
      >
        <p>{children}</p>
      </Form>
    </Dialog>
  );
}
