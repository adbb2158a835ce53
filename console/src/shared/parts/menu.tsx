// A button that opens a menu of actions. Arrow keys, Home, End and first letters move in it; Escape and a choice lead back.

import { useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject, TargetedToggleEvent } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

export interface MenuItem {
  label: string;
  /** Its class, such as `danger`. */
  kind?: string;
  isOff?: boolean;
  onChoose: (event: MouseEvent) => void;
}

interface MenuProps {
  /** Screen readers read it instead of the content. */
  name: string;
  kind?: string;
  items: MenuItem[];
  children: ComponentChildren;
}

/** Between the button and its menu, and between the menu and the edge of the window. */
const GAP_PX = 4;

export function Menu({ name, kind = "icon", items, children }: MenuProps) {
  const id = useId();
  const { isOpen, button, menu, openByArrow, prepare, toggle, press, choose } = useMenu();
  return (
    <>
      <button
        ref={button}
        type="button"
        class={kind}
        aria-label={name}
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        popovertarget={id}
        onKeyDown={openByArrow}
      >
        {children}
      </button>
      {/* The browser closes it on Escape and on a click elsewhere, and moves the focus back to where it was. */}
      <div
        ref={menu}
        id={id}
        role="menu"
        aria-label={name}
        tabIndex={-1}
        popover="auto"
        class="menu"
        onBeforeToggle={prepare}
        onToggle={toggle}
        onKeyDown={press}
      >
        {isOpen.value && items.map((item) => <Item key={item.label} item={item} onChoose={choose} />)}
      </div>
    </>
  );
}

/** Handles keys and pointer events of a menu and its button. */
function useMenu() {
  const isOpen = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const place = usePlace(menu, button, isOpen.value);

  function openByArrow(event: KeyboardEvent): void {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    menu.current?.showPopover();
  }

  function prepare({ newState, currentTarget }: TargetedToggleEvent<HTMLElement>): void {
    if (newState === "closed") return;
    isOpen.value = true;
    currentTarget.style.visibility = "hidden";
  }

  /** The items stay until it is closed: the browser moves the focus back only from an element that exists. */
  function toggle({ newState, currentTarget }: TargetedToggleEvent<HTMLElement>): void {
    isOpen.value = newState === "open";
    if (newState === "closed") return;
    // Its size is known now.
    place();
    currentTarget.style.visibility = "";
    itemsOf(currentTarget)[0]?.focus();
  }

  function press(event: KeyboardEvent): void {
    const all = menu.current === null ? [] : itemsOf(menu.current);
    const next = findNext(event.key, all);
    if (event.key === "Tab") menu.current?.hidePopover();
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  }

  function choose({ onChoose }: MenuItem, event: MouseEvent): void {
    menu.current?.hidePopover();
    // Safari does not focus a button that is clicked, and what the choice opens returns the focus.
    button.current?.focus();
    onChoose(event);
  }

  return { isOpen, button, menu, openByArrow, prepare, toggle, press, choose };
}

/** Keeps the open menu at its button, also when that moves. The result places it at once. */
function usePlace(
  menu: RefObject<HTMLElement | null>,
  button: RefObject<HTMLElement | null>,
  isOpen: boolean,
): () => void {
  function place(): void {
    if (menu.current !== null && button.current !== null) placeBelow(menu.current, button.current);
  }

  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    for (const type of ["scroll", "resize"]) addEventListener(type, place);
    return () => {
      for (const type of ["scroll", "resize"]) removeEventListener(type, place);
    };
  }, [isOpen]);
  return place;
}

interface ItemProps {
  item: MenuItem;
  onChoose: (item: MenuItem, event: MouseEvent) => void;
}

function Item({ item, onChoose }: ItemProps) {
  const { label, kind, isOff } = item;
  return (
    <button
      type="button"
      role="menuitem"
      class={kind}
      tabIndex={-1}
      aria-disabled={isOff}
      onClick={isOff ? undefined : (event) => onChoose(item, event)}
    >
      {label}
    </button>
  );
}

function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>("[role='menuitem']")];
}

/** The item that a key leads to. */
function findNext(key: string, items: HTMLElement[]): HTMLElement | undefined {
  const at = items.indexOf(document.activeElement as HTMLElement);
  if (key === "ArrowDown") return items[(at + 1) % items.length];
  if (key === "ArrowUp") return items.at(at <= 0 ? -1 : at - 1);
  if (key === "Home") return items[0];
  if (key === "End") return items.at(-1);
  if (key.length !== 1 || key === " ") return undefined;
  const isMeant = ({ textContent }: HTMLElement) =>
    textContent?.toLowerCase().startsWith(key.toLowerCase()) === true;
  return [...items.slice(at + 1), ...items].find(isMeant);
}

/** Below the button and flush with its end, or above it where there is no room. */
function placeBelow(menu: HTMLElement, button: HTMLElement): void {
  const { top, bottom, left, right } = button.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = menu;
  const isAbove = bottom + GAP_PX + offsetHeight > innerHeight && top > offsetHeight + 2 * GAP_PX;
  const x = right < offsetWidth + GAP_PX ? left : right - offsetWidth;
  menu.style.left = `${Math.max(GAP_PX, Math.min(x, innerWidth - offsetWidth - GAP_PX))}px`;
  menu.style.top = `${isAbove ? top - offsetHeight - GAP_PX : bottom + GAP_PX}px`;
}
