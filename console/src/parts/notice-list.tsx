// The notices at the edge of the page, read out as they come.

import { endNotice, holdNotice, type Notice, notices, releaseNotice, undoNotice } from "../state/notices.ts";

export function NoticeList() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function NoticeCard({ notice: { id, text, isFailure, undo } }: { notice: Notice }) {
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
        <button type="button" onClick={() => undoNotice(id)}>
          Undo
        </button>
      )}
      <button type="button" class="icon" aria-label="Dismiss" onClick={() => endNotice(id)}>
        ✕
      </button>
    </div>
  );
}
