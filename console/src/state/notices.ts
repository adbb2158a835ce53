// Short words at the edge of the page, some with a way back: what they announce happens when they go.

import { signal } from "@preact/signals";

const SHOWN_MS = 6_000;
const UNDO_MS = 8_000;

export interface Notice {
  id: number;
  text: string;
  isFailure: boolean;
  undo?: () => void;
  /** What making it go does, where it does anything. */
  commitLabel?: string;
  takesFocus?: boolean;
}

interface Live {
  timer: ReturnType<typeof setTimeout> | undefined;
  /** Undefined for what stays until it is dismissed. */
  lastsMs: number | undefined;
  /** What happens unless it is undone. */
  commit: (() => void) | undefined;
  /** By pointer and focus. */
  holds: number;
}

interface Undoable {
  undo: () => void;
  commit: () => void;
  commitLabel: string;
  takesFocus: boolean;
}

export const notices = signal<Notice[]>([]);
const lives = new Map<number, Live>();
let newest = 0;
let openDialogs = 0;

export function notify(text: string, { isFailure = false }: { isFailure?: boolean } = {}): void {
  show({ text, isFailure }, { lastsMs: isFailure ? undefined : SHOWN_MS, commit: undefined });
}

/** `commit` runs when the notice goes without having been undone; also when the tab closes. */
export function notifyUndoable(text: string, { commit, ...notice }: Undoable): void {
  show({ text, isFailure: false, ...notice }, { lastsMs: UNDO_MS, commit });
}

function show(notice: Omit<Notice, "id">, life: Pick<Live, "lastsMs" | "commit">): void {
  newest += 1;
  const id = newest;
  notices.value = [...notices.value, { ...notice, id }];
  lives.set(id, { ...life, timer: undefined, holds: 0 });
  startTimer(id);
}

function startTimer(id: number): void {
  const life = lives.get(id);
  if (life === undefined) return;
  clearTimeout(life.timer);
  if (life.lastsMs === undefined || life.holds > 0 || openDialogs > 0) return;
  life.timer = setTimeout(() => endNotice(id), life.lastsMs);
}

/** While somebody points at it or has its button in focus, it stays. */
export function holdNotice(id: number): void {
  const life = lives.get(id);
  if (life === undefined) return;
  life.holds += 1;
  clearTimeout(life.timer);
}

export function releaseNotice(id: number): void {
  const life = lives.get(id);
  if (life === undefined) return;
  life.holds -= 1;
  startTimer(id);
}

/** Behind an open dialog nobody reaches a notice, so none goes. Gives back what ends this. */
export function holdNotices(): () => void {
  openDialogs += 1;
  for (const { timer } of lives.values()) clearTimeout(timer);
  return () => {
    openDialogs -= 1;
    for (const id of lives.keys()) startTimer(id);
  };
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
