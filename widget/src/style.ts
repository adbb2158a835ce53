// The style of the widget. Pages change it by the custom properties and by ::part(); the corners are those of the public pages.

import { token } from "../../src/look/tokens.ts";

/** Lines have fixed heights, so that a card is as high as its placeholder and nothing on the page moves. */
const CSS = `
:host { display: block; color: var(--animals-text, inherit); line-height: 1.4; }
:host([hidden]), [hidden] { display: none !important; }
* { box-sizing: border-box; margin: 0; }
form { margin-block-end: var(--animals-gap, 1rem); }
label { display: grid; gap: .25rem; max-inline-size: 24rem; }
input, button {
  font: inherit; color: inherit; min-block-size: 2.75rem; padding: .5rem .75rem;
  border: 1px solid var(--animals-accent, currentColor); border-radius: var(--animals-radius, ${token("corner")});
  background: var(--animals-card, transparent);
}
button { display: block; margin: var(--animals-gap, 1rem) auto 0; padding-inline: 1.5rem; cursor: pointer; }
:focus-visible { outline: 3px solid var(--animals-accent, currentColor); outline-offset: 2px; }
[part=message] { min-block-size: 1lh; margin-block-end: .5rem; overflow-wrap: anywhere; }
ul {
  display: grid; gap: var(--animals-gap, 1rem); padding: 0; list-style: none;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, var(--animals-card-width, 16rem)), 1fr));
}
li {
  position: relative; min-inline-size: 0; overflow: hidden; padding-block-end: .75rem;
  border: 1px solid var(--animals-border, color-mix(in srgb, currentColor 20%, transparent));
  border-radius: var(--animals-radius, ${token("corner")}); background: var(--animals-card, transparent);
}
[part=photo] {
  display: grid; place-items: center; inline-size: 100%; block-size: auto; aspect-ratio: 4 / 3; object-fit: cover;
  border-radius: calc(var(--animals-radius, ${token("corner")}) - 1px) calc(var(--animals-radius, ${token("corner")}) - 1px) 0 0;
  background: color-mix(in srgb, currentColor 8%, transparent);
}
[part=name], [part=facts], [part=shelter] { display: block; margin: .25rem .75rem 0; overflow: hidden; }
[part=shelter] { font-size: .9em; }
[part=name], [part=shelter] { block-size: 1lh; white-space: nowrap; text-overflow: ellipsis; }
[part=name] { margin-block-start: .75rem; font-size: 1.15em; font-weight: 600; color: inherit; }
[part=facts] { block-size: 2lh; font-size: .9em; }
bdi {
  display: inline-block; max-inline-size: 100%; vertical-align: top;
  overflow: hidden; white-space: nowrap; text-overflow: ellipsis;
}
a::after { content: ""; position: absolute; inset: 0; }
[part=reserved] {
  position: absolute; inset-block-start: .5rem; inset-inline-start: .5rem; padding: .1rem .6rem;
  border-radius: ${token("round")}; color: CanvasText; background: Canvas;
}
`;

let sheet: CSSStyleSheet | undefined;

/** Shared by all widgets of the page. Constructed, so that policies without inline styles allow it. */
export function findStyleSheet(): CSSStyleSheet {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
  }
  return sheet;
}
