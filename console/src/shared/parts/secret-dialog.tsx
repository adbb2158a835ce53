// Shows the secret of a new or rotated key or webhook once, with a button to copy it.

import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { watchChanges } from "../state/leaving.ts";
import { later } from "../texts/pages.ts";
import { Button } from "./button.tsx";
import { useCopy } from "./copy.ts";
import { Dialog } from "./dialog.tsx";

interface SecretDialogProps {
  name: string;
  secret: string;
  onClose: () => void;
  children: ComponentChildren;
}

export function SecretDialog({ name, secret, onClose, children }: SecretDialogProps) {
  const texts = later().secret;
  const { isCopied, message, copy } = useCopy();

  // A layout effect runs before the first key.
  useLayoutEffect(() => watchChanges(() => !isCopied.peek(), { question: texts.leave }), []);

  /** Escape and ✕ are easily pressed by mistake, so they work after copying only. */
  function leave(): void {
    if (isCopied.value) onClose();
    else message.value = texts.copyFirst;
  }

  return (
    <Dialog title={texts.title(name)} onClose={leave}>
      <p>
        {texts.once} {children}
      </p>
      <p>
        <code class="secret">{secret}</code>
      </p>
      <p role="status">{message}</p>
      <footer>
        <button type="button" class="primary" onClick={() => void copy(secret)}>
          {texts.copy}
        </button>
        <Button label={texts.stored} onClick={onClose} />
      </footer>
    </Dialog>
  );
}
