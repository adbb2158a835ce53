// Tables that are wider than the page can be scrolled by keyboard; the others are no stop of the Tab key.

export function startScrollers(): void {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) mark((target.closest(".scroll") ?? target) as HTMLElement);
  });
  for (const scroller of document.querySelectorAll(".scroll")) {
    observer.observe(scroller);
    // Of a closed part of the page, which has no size until it is opened.
    if (scroller.firstElementChild) observer.observe(scroller.firstElementChild);
  }
}

function mark(scroller: HTMLElement): void {
  if (scroller.scrollWidth <= scroller.clientWidth) {
    for (const name of ["tabindex", "role", "aria-label"]) scroller.removeAttribute(name);
    return;
  }
  scroller.tabIndex = 0;
  scroller.role = "group";
  const section = scroller.closest("section")?.querySelector(".anchor")?.textContent ?? "";
  scroller.ariaLabel = `${section}: ${scroller.querySelector("th")?.textContent ?? ""}`;
}
