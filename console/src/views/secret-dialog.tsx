// Shows the secret of a new or rotated key once, with a button to copy it.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { IssuedKey } from "../../../client/src/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { formatMoment } from "../state/format.ts";

export function SecretDialog({ issued, onClose }: { issued: IssuedKey; onClose: () => void }) {
  const message = useSignal("");
  const isCopied = useSignal(false);
  const copyButton = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    const dialog = copyButton.current?.closest("dialog");
    const focusCopy = () => copyButton.current?.focus();
    // Browsers close a dialog on the second Escape even if the first was prevented.
    const reopen = () => {
      if (dialog?.isConnected) dialog.showModal();
      focusCopy();
    };
    focusCopy();
    dialog?.addEventListener("close", reopen);
    return () => dialog?.removeEventListener("close", reopen);
  }, []);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(issued.key);
      isCopied.value = true;
      message.value = "Copied.";
    } catch {
      message.value = "The browser does not allow copying. Select the key and copy it yourself.";
    }
  }

  /** Escape and ✕ are easily pressed by mistake, so they work after copying only. */
  function leave(): void {
    if (isCopied.value) onClose();
    else message.value = "Copy the key first, or confirm that you have stored it.";
  }

  return (
    <Dialog title={`The secret of ${issued.name}`} onClose={leave}>
      <p>
        It is shown only once. Store it now where its owner keeps secrets; the service stores only a hash.
      </p>
      <p>
        <code class="secret">{issued.key}</code>
      </p>
      {issued.oldEndsAt !== undefined && (
        <p>The old secret works until {formatMoment(new Date(issued.oldEndsAt))}.</p>
      )}
      <p role="status">{message}</p>
      <footer>
        <button type="button" class="primary" ref={copyButton} onClick={() => void copy()}>
          Copy
        </button>
        <button type="button" onClick={onClose}>
          I have stored it
        </button>
      </footer>
    </Dialog>
  );
}
