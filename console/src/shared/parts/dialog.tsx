// A modal dialog. The browser traps the focus and handles Escape.

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { mayClose } from "../state/leaving.ts";
import { holdNotices } from "../state/notices.ts";
import { t } from "../texts/language.ts";
import { Button } from "./button.tsx";
import { focusFirst, rememberFocus } from "./focus.ts";

interface DialogProps {
  title: ComponentChildren;
  /** Has room for a table. */
  isWide?: boolean;
  className?: string;
  onClose: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, isWide = false, className, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    const restore = rememberFocus();
    if (dialog !== null) open(dialog);
    const releaseNotices = holdNotices();
    return () => {
      releaseNotices();
      dialog?.close();
      // Removing the element does not restore the focus.
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      else restore();
    };
  }, []);

  function dismiss(): void {
    if (mayClose(element.current)) onClose();
  }

  /** Browsers close a dialog on the second Escape even if the first was prevented. */
  function reopen(dialog: HTMLDialogElement): void {
    if (!dialog.isConnected) return;
    open(dialog);
    dismiss();
  }

  return (
    <dialog
      ref={element}
      class={isWide ? "wide-dialog" : className}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        dismiss();
      }}
      onClose={({ currentTarget }) => reopen(currentTarget)}
    >
      <header>
        <h2 id={titleId} tabIndex={-1}>
          {title}
        </h2>
        <Button kind="icon" label="✕" name={t().common.close} onClick={dismiss} />
      </header>
      {children}
    </dialog>
  );
}

function open(dialog: HTMLDialogElement): void {
  dialog.showModal();
  // The browser would choose ✕, which a space or Enter presses.
  focusFirst(dialog);
}

export function CloseFooter({ onClose }: { onClose: () => void }) {
  return (
    <footer>
      <Button kind="primary" label={t().common.close} onClick={onClose} />
    </footer>
  );
}
