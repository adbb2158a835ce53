// Sentences that contain names: each value is isolated, so that its writing direction cannot reorder the sentence.

import { type ComponentChild, h } from "preact";

/** A sentence for the page. For attributes such as aria-label, use a plain template. */
export type Sentence = ComponentChild;

/** Template tag: strings and numbers become `<bdi>` elements, other values stay. */
export function say(fixed: TemplateStringsArray, ...values: ComponentChild[]): Sentence {
  return h(
    "span",
    null,
    fixed.flatMap((text, index) => [text, index < values.length ? isolate(values[index]) : null]),
  );
}

/** A name of at most two lines of a dialog needs no clamp, which would let a line break before a comma after it. */
const SHORT_MAX = 40;

function isolate(value: ComponentChild): ComponentChild {
  if (typeof value === "object") return value;
  return h("bdi", String(value).length > SHORT_MAX ? null : { class: "short" }, value);
}
