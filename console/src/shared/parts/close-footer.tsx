// The end of a dialog that has nothing more to ask: a button that closes it.

import { t } from "../texts/language.ts";
import { Button } from "./button.tsx";

export function CloseFooter({ onClose }: { onClose: () => void }) {
  return (
    <footer>
      <Button kind="primary" label={t().common.close} onClick={onClose} />
    </footer>
  );
}
