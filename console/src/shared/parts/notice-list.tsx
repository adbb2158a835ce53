// The notices at the edge of the page; screen readers read new ones out.

import { useEffect, useRef } from "preact/hooks";
import { endNotice, holdNotice, type Notice, notices, releaseNotice, undoNotice } from "../state/notices.ts";
import { t } from "../texts/language.ts";
import { Button } from "./button.tsx";
import { focusMain } from "./focus.ts";

export function NoticeList() {
  return (
    <div class="notices" role="status" aria-live="polite" aria-atomic="false">
      {notices.value.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function NoticeCard({ notice }: { notice: Notice }) {
  const { id, text, isFailure, undo, commitLabel, takesFocus } = notice;
  const undoButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (takesFocus) undoButton.current?.focus();
  }, [takesFocus]);

  function leave(end: (id: number) => void): void {
    end(id);
    focusMain();
  }

  return (
    <div
      class={isFailure ? "notice bad" : "notice"}
      onPointerEnter={() => holdNotice(id)}
      onPointerLeave={() => releaseNotice(id)}
      onFocusIn={() => holdNotice(id)}
      onFocusOut={() => releaseNotice(id)}
    >
      <span>{text}</span>
      {undo && (
        <button type="button" ref={undoButton} onClick={() => leave(undoNotice)}>
          {t().common.undo}
        </button>
      )}
      {commitLabel === undefined ? (
        <Button kind="icon" label="✕" name={t().common.dismiss} onClick={() => leave(endNotice)} />
      ) : (
        <Button label={commitLabel} onClick={() => leave(endNotice)} />
      )}
    </div>
  );
}
