// The secret of a key, shown this once, with a button to copy it.

import { useSignal } from "@preact/signals";
import type { IssuedKey } from "../../../client/src/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { formatMoment } from "../state/format.ts";

export function SecretDialog({ issued, onClose }: { issued: IssuedKey; onClose: () => void }) {
  const copied = useSignal("");

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(issued.key);
      copied.value = "Copied.";
    } catch {
      copied.value = "Your browser does not let us copy: select the key and copy it yourself.";
    }
  }

  return (
    <Dialog title={`The secret of ${issued.name}`} onClose={onClose}>
      <p>
        It is shown this once. Store it now where its owner keeps secrets; the service keeps only a
        fingerprint.
      </p>
      <p>
        <code class="secret">{issued.key}</code>
      </p>
      {issued.oldEndsAt !== undefined && (
        <p>The old secret works until {formatMoment(new Date(issued.oldEndsAt))}.</p>
      )}
      <p role="status">{copied}</p>
      <footer>
        <button type="button" class="primary" onClick={() => void copy()}>
          Copy
        </button>
        <button type="button" onClick={onClose}>
          I have stored it
        </button>
      </footer>
    </Dialog>
  );
}
