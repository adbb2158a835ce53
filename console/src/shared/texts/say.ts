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

function isolate(value: ComponentChild): ComponentChild {
  return typeof value === "object" ? value : h("bdi", null, value);
}
