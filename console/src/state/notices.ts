// Short words at the edge of the page, some with a way back: what they announce happens when they go.

import { signal } from "@preact/signals";

const SHOWN_MS = 6_000;
const UNDO_MS = 8_000;

export interface Notice {
  id: number;
  text: string;
  isFailure: boolean;
  undo?: () => void;
}

interface Live {
  timer: ReturnType<typeof setTimeout> | undefined;
  lastsMs: number;
  /** What happens unless it is undone. */
  commit: (() => void) | undefined;
}

export const notices = signal<Notice[]>([]);
const lives = new Map<number, Live>();
let newest = 0;

export function notify(text: string, { isFailure = false }: { isFailure?: boolean } = {}): void {
  show({ text, isFailure }, { lastsMs: SHOWN_MS, commit: undefined });
}

/** `commit` runs when the notice goes without having been undone; also when the tab closes. */
export function notifyUndoable(
  text: string,
  { undo, commit }: { undo: () => void; commit: () => void },
): void {
  show({ text, isFailure: false, undo }, { lastsMs: UNDO_MS, commit });
}

function show(notice: Omit<Notice, "id">, life: Omit<Live, "timer">): void {
  newest += 1;
  const id = newest;
  notices.value = [...notices.value, { ...notice, id }];
  lives.set(id, { ...life, timer: undefined });
  releaseNotice(id);
}

/** While somebody points at it or has its button in focus, it stays. */
export function holdNotice(id: number): void {
  clearTimeout(lives.get(id)?.timer);
}

export function releaseNotice(id: number): void {
  const life = lives.get(id);
  if (life === undefined) return;
  clearTimeout(life.timer);
  life.timer = setTimeout(() => endNotice(id), life.lastsMs);
}

export function endNotice(id: number): void {
  const commit = remove(id)?.commit;
  commit?.();
}

export function undoNotice(id: number): void {
  const undo = notices.value.find((notice) => notice.id === id)?.undo;
  if (remove(id) !== undefined) undo?.();
}

/** All that was announced happens now. */
export function flushNotices(): void {
  for (const id of [...lives.keys()]) endNotice(id);
}

function remove(id: number): Live | undefined {
  const life = lives.get(id);
  clearTimeout(life?.timer);
  lives.delete(id);
  notices.value = notices.value.filter((notice) => notice.id !== id);
  return life;
}

addEventListener("pagehide", flushNotices);
