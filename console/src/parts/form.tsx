// A form of a dialog: sends once, shows why it failed, and stays open until it has succeeded.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { explain } from "../state/failures.ts";
import { Countdown } from "./countdown.tsx";

interface FormProps {
  /** What the button that sends it says. */
  action: string;
  isDangerous?: boolean;
  /** What it resolves to is said in the form; behind a dialog nobody would hear it. */
  onSubmit: (fields: FormData) => Promise<string | undefined>;
  onCancel?: () => void;
  children?: ComponentChildren;
}

export function Form({ action, isDangerous = false, onSubmit, onCancel, children }: FormProps) {
  const failure = useSignal<string | undefined>(undefined);
  const success = useSignal<string | undefined>(undefined);
  const isSending = useSignal(false);

  async function send(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (isSending.value) return;
    isSending.value = true;
    failure.value = undefined;
    success.value = undefined;
    try {
      success.value = await onSubmit(new FormData(event.currentTarget as HTMLFormElement));
    } catch (error) {
      failure.value = explain(error);
    } finally {
      isSending.value = false;
    }
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
