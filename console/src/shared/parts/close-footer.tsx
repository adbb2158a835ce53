// The end of a dialog that has nothing more to ask: a button that closes it.

import { t } from "../texts/language.ts";

export function CloseFooter({ onClose }: { onClose: () => void }) {
  return (
    <footer>
      <button type="button" class="primary" onClick={onClose}>
        {t().common.close}
      </button>
    </footer>
  );
}
