// A form in a dialog: submits once, shows errors, and aborts its requests when it is closed.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { markChanged } from "../state/changes.ts";
import { explain } from "../state/failures.ts";
import { notify } from "../state/notices.ts";
import { lastWait } from "../state/waiting.ts";
import { Countdown } from "./countdown.tsx";

const ALREADY_SENT = "The request was already sent and may have succeeded. Check before you retry.";

interface FormProps {
  /** The label of the submit button. */
  action: string;
  isDangerous?: boolean;
  /**
   * The resolved text is shown in the form, because screen readers do not read notices behind a dialog. The signal is
   * aborted when the form is closed.
   */
  onSubmit: (fields: FormData, signal: AbortSignal) => Promise<string | undefined>;
  onCancel?: () => void;
  children?: ComponentChildren;
}

export function Form({ action, isDangerous = false, onSubmit, onCancel, children }: FormProps) {
  const failure = useSignal<string | undefined>(undefined);
  const success = useSignal<string | undefined>(undefined);
  const isSending = useSignal(false);
  const [closing] = useState(() => new AbortController());
  const mayBeDone = useRef(false);

  useEffect(
    () => () => {
      // Without a wait, the request itself is running.
      mayBeDone.current = lastWait.value?.mayBeDone ?? true;
      closing.abort();
    },
    [closing],
  );

  async function send(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (isSending.value) return;
    isSending.value = true;
    failure.value = undefined;
    success.value = undefined;
    try {
      success.value = await onSubmit(new FormData(event.currentTarget as HTMLFormElement), closing.signal);
    } catch (error) {
      if (closing.signal.aborted) notifyAfterClosing(error);
      else failure.value = explain(error);
    } finally {
      isSending.value = false;
    }
  }

  function notifyAfterClosing(error: unknown): void {
    const isOwn = error === closing.signal.reason;
    if (isOwn && !mayBeDone.current) return;
    notify(isOwn ? ALREADY_SENT : explain(error), { isFailure: true });
    markChanged();
  }

  return (
    <form onSubmit={(event) => void send(event as SubmitEvent)}>
      {children}
      <p role="alert" class="failure">
        {failure}
      </p>
      <p role="status" class="success">
        {success}
      </p>
      {isSending.value && <Countdown />}
      <footer>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
        <button type="submit" class={isDangerous ? "danger" : "primary"} aria-disabled={isSending.value}>
          {isSending.value ? "One moment…" : action}
        </button>
      </footer>
    </form>
  );
}
