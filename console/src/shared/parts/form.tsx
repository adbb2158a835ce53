// A form in a dialog: submits once, shows errors, and aborts its requests when it is closed.

import { useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { markChanged } from "../state/changes.ts";
import { explain } from "../state/failures.ts";
import { watchChanges } from "../state/leaving.ts";
import { notify } from "../state/notices.ts";
import { lastWait } from "../state/waiting.ts";
import { t } from "../texts/language.ts";
import type { Sentence } from "../texts/say.ts";
import { Button } from "./button.tsx";
import { Countdown } from "./countdown.tsx";
import { focusFirst, isInField } from "./focus.ts";

/** Not a choice, however it is made: by a click or by a search. */
const TYPED = "textarea, input:not([type=checkbox], [type=radio], [role=combobox])";

interface FormProps {
  action: string;
  isDangerous?: boolean;
  /**
   * A resolved text is shown in the form, because screen readers do not read notices behind a dialog. The signal is
   * aborted when the form is closed.
   */
  onSubmit: (fields: FormData, signal: AbortSignal) => Promise<void> | Promise<Sentence>;
  onCancel?: () => void;
  cancelLabel?: string | undefined;
  /** The label of a second button, which submits with the field `another`. */
  anotherLabel?: string | undefined;
  children?: ComponentChildren;
}

export function Form(props: FormProps) {
  const { action, isDangerous = false, onSubmit, onCancel, cancelLabel, anotherLabel, children } = props;
  const isForAnother = useRef(false);
  /** Whether something was typed that is neither stored nor on its way. A choice is made again in no time. */
  const isUnsent = useRef(false);
  const { failure, success, isSending, send } = useSubmission(onSubmit, isUnsent);
  const element = useRef<HTMLFormElement>(null);
  useFocusInDialog(element);
  // A form of a page knows better what is not saved. What is typed to confirm a danger is no loss.
  useLayoutEffect(() => {
    const dialog = element.current?.closest("dialog");
    return dialog && !isDangerous ? watchChanges(() => isUnsent.current, { dialog }) : undefined;
  }, []);

  /** The fields show what is wrong with them; the first one gets the focus. */
  function showFaults(event: Event): void {
    event.preventDefault();
    if (event.target === element.current?.querySelector(":invalid:not(fieldset)"))
      (event.target as HTMLElement).focus();
  }

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    if (isForAnother.current) fields.set("another", "yes");
    void send(fields);
  }

  /** Not a submit button: Enter must press the main one. The event is dispatched before `requestSubmit` returns. */
  function submitForAnother(): void {
    isForAnother.current = true;
    element.current?.requestSubmit();
    isForAnother.current = false;
  }

  return (
    <form
      ref={element}
      onInput={({ target }) => {
        if ((target as Element).matches(TYPED)) isUnsent.current = true;
      }}
      onInvalidCapture={showFaults}
      onSubmit={submit}
    >
      {children}
      <p role="alert" class="failure">
        {failure}
      </p>
      <p role="status" class="success">
        {success.value}
      </p>
      {isSending.value && <Countdown />}
      <footer>
        {onCancel && <Button label={cancelLabel ?? t().common.cancel} onClick={onCancel} />}
        {anotherLabel !== undefined && (
          <Button label={anotherLabel} isOff={isSending.value} onClick={submitForAnother} />
        )}
        <button type="submit" class={isDangerous ? "danger" : "primary"} aria-disabled={isSending.value}>
          {isSending.value ? t().common.oneMoment : action}
        </button>
      </footer>
    </form>
  );
}

/** Sends the fields once at a time. A failure after the form was closed is shown as a notice. */
function useSubmission(onSubmit: FormProps["onSubmit"], isUnsent: { current: boolean }) {
  const failure = useSignal<string | undefined>(undefined);
  const success = useSignal<Sentence>(undefined);
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

  async function send(fields: FormData): Promise<void> {
    if (isSending.value) return;
    const isTyped = isUnsent.current;
    isSending.value = true;
    isUnsent.current = false;
    failure.value = undefined;
    success.value = undefined;
    try {
      success.value = (await onSubmit(fields, closing.signal)) as Sentence;
    } catch (error) {
      isUnsent.current ||= isTyped;
      if (closing.signal.aborted) notifyAfterClosing(error);
      else failure.value = explain(error);
    } finally {
      isSending.value = false;
    }
  }

  function notifyAfterClosing(error: unknown): void {
    const isOwn = error === closing.signal.reason;
    if (isOwn && !mayBeDone.current) return;
    notify(isOwn ? t().form.mayBeSent : explain(error), { isFailure: true });
    markChanged();
  }

  return { failure, success, isSending, send };
}

/** For a form that is shown after its dialog was opened, for example when its choices have been loaded. */
function useFocusInDialog(form: RefObject<HTMLFormElement | null>): void {
  // A layout effect runs before the user can go to another field.
  useLayoutEffect(() => {
    const dialog = form.current?.closest("dialog[open]");
    if (!form.current || !dialog || isInField()) return;
    // One of several forms would scroll the others away. It takes the focus only if that was on what it replaces.
    const isAlone = dialog.querySelectorAll("form").length === 1;
    if (isAlone || document.activeElement === document.body) focusFirst(form.current);
  }, []);
}
