// Notices at the edge of the page. One with undo carries out its action when it goes.

import { signal } from "@preact/signals";
import type { Sentence } from "../texts/say.ts";

const SHOWN_MS = 6_000;
const UNDO_MS = 8_000;
const SHOWN_MAX = 3;

export interface Notice {
  id: number;
  text: Sentence;
  isFailure: boolean;
  undo?: () => void;
  /** The label of the button that carries out the action at once. */
  commitLabel?: string;
  takesFocus?: boolean;
}

interface Lifetime {
  timer: ReturnType<typeof setTimeout> | undefined;
  /** Undefined for a notice that stays until it is dismissed. */
  lastsMs: number | undefined;
  /** The action of a notice with undo. */
  commit: (() => void) | undefined;
  /** 0 to 2: pointer over it, focus in it. */
  holds: number;
}

interface Undoable {
  undo: () => void;
  commit: () => void;
  commitLabel: string;
  takesFocus: boolean;
}

export const notices = signal<Notice[]>([]);
const lifetimes = new Map<number, Lifetime>();
let lastId = 0;
let openDialogs = 0;

interface NoticeOptions {
  isFailure?: boolean;
  /** Takes back what the notice reports, which is done already. */
  undo?: (() => void) | undefined;
}

export function notify(text: Sentence, { isFailure = false, undo }: NoticeOptions = {}): void {
  const lastsMs = isFailure ? undefined : undo === undefined ? SHOWN_MS : UNDO_MS;
  show({ text, isFailure, ...(undo && { undo }) }, { lastsMs, commit: undefined });
}

/** `commit` runs when the notice goes without undo, also when the tab is closed. */
export function notifyUndoable(text: Sentence, { commit, ...notice }: Undoable): void {
  show({ text, isFailure: false, ...notice }, { lastsMs: UNDO_MS, commit });
}

function show(notice: Omit<Notice, "id">, lifetime: Pick<Lifetime, "lastsMs" | "commit">): void {
  lastId += 1;
  const id = lastId;
  makeRoom();
  notices.value = [...notices.value, { ...notice, id }];
  lifetimes.set(id, { ...lifetime, timer: undefined, holds: 0 });
  startTimer(id);
}

/** Ends the oldest notice if the page is full: successes first, because failures must be read. */
function makeRoom(): void {
  if (notices.value.length < SHOWN_MAX) return;
  const oldest = notices.value.find(({ isFailure }) => !isFailure) ?? notices.value[0];
  if (oldest !== undefined) endNotice(oldest.id);
}

function startTimer(id: number): void {
  const lifetime = lifetimes.get(id);
  if (lifetime === undefined) return;
  clearTimeout(lifetime.timer);
  if (lifetime.lastsMs === undefined || lifetime.holds > 0 || openDialogs > 0) return;
  lifetime.timer = setTimeout(() => endNotice(id), lifetime.lastsMs);
}

/** The notice stays while the pointer or the focus is on it. */
export function holdNotice(id: number): void {
  const lifetime = lifetimes.get(id);
  if (lifetime === undefined) return;
  lifetime.holds += 1;
  clearTimeout(lifetime.timer);
}

export function releaseNotice(id: number): void {
  const lifetime = lifetimes.get(id);
  if (lifetime === undefined) return;
  lifetime.holds -= 1;
  startTimer(id);
}

/** Stops all timers while a dialog is open, because notices cannot be used behind it. Returns the function that releases them. */
export function holdNotices(): () => void {
  openDialogs += 1;
  for (const { timer } of lifetimes.values()) clearTimeout(timer);
  return () => {
    openDialogs -= 1;
    for (const id of lifetimes.keys()) startTimer(id);
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

/** Ends all notices and carries out their actions. */
export function flushNotices(): void {
  for (const id of [...lifetimes.keys()]) endNotice(id);
}

function remove(id: number): Lifetime | undefined {
  const lifetime = lifetimes.get(id);
  clearTimeout(lifetime?.timer);
  lifetimes.delete(id);
  notices.value = notices.value.filter((notice) => notice.id !== id);
  return lifetime;
}

addEventListener("pagehide", flushNotices);
