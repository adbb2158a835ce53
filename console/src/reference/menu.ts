// The menu: marks the section that is being read, and closes after a choice on a phone.

/** The section that crosses this part of the window is the current one. */
const READING = "-80px 0px -65% 0px";

export function startMenu(): void {
  const menu = document.getElementById("contents");
  if (menu === null) return;
  const links = new Map(
    [...menu.querySelectorAll<HTMLAnchorElement>("a")].map((link) => [link.hash.slice(1), link]),
  );
  const visible = new Set<Element>();
  let current: HTMLAnchorElement | undefined;

  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries)
        if (isIntersecting) visible.add(target);
        else visible.delete(target);
      // A chapter is visible together with its sections: the last one that has begun is the innermost.
      const reading = [...links.keys()].findLast((id) => visible.has(document.getElementById(id) as Element));
      const link = reading === undefined ? undefined : links.get(reading);
      if (link === undefined || link === current) return;
      current?.removeAttribute("aria-current");
      link.setAttribute("aria-current", "location");
      current = link;
      keepInView(link, menu);
    },
    { rootMargin: READING },
  );
  for (const id of links.keys()) {
    const section = document.getElementById(id);
    if (section !== null) observer.observe(section);
  }
  menu.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("a") && menu.matches(":popover-open")) menu.hidePopover();
  });
  menu.addEventListener("toggle", () => {
    if (current) keepInView(current, menu);
  });
}

/** Scrolls the menu only: scrollIntoView would stop a scrolling page. */
function keepInView(link: HTMLElement, menu: HTMLElement): void {
  const place = link.getBoundingClientRect();
  const frame = menu.getBoundingClientRect();
  if (place.top < frame.top || place.bottom > frame.bottom)
    menu.scrollTop += place.top - frame.top - frame.height / 3;
}
