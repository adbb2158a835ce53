// Copies a text to the clipboard, and says whether it worked.

import { type Signal, useSignal } from "@preact/signals";
import { t } from "../texts/language.ts";

interface Copying {
  isCopied: Signal<boolean>;
  message: Signal<string>;
  copy: (text: string) => Promise<void>;
}

export function useCopy(): Copying {
  const message = useSignal("");
  const isCopied = useSignal(false);

  /** Browsers offer no clipboard to pages without HTTPS. */
  async function copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      isCopied.value = true;
      message.value = t().common.copied;
    } catch {
      message.value = t().common.cannotCopy;
    }
  }

  return { isCopied, message, copy };
}
