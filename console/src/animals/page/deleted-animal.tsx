// Shown instead of an animal that someone else has deleted while something was typed: the text stays, to be copied.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "../../shared/parts/button.tsx";
import { useCopy } from "../../shared/parts/copy.ts";
import { watchChanges } from "../../shared/state/leaving.ts";
import { hrefOf } from "../../shared/state/place.ts";
import { later } from "../../shared/texts/pages.ts";
import type { UnsavedText } from "../profile/section-form.tsx";

export function DeletedAnimal({ name, texts }: { name: string; texts: UnsavedText[] }) {
  const words = later().animal.deleted;
  const { isCopied, message, copy } = useCopy();
  const heading = useRef<HTMLHeadingElement>(null);

  // The field that had the focus is gone.
  useLayoutEffect(() => heading.current?.focus(), []);
  useEffect(() => watchChanges(() => !isCopied.peek()), []);

  return (
    <div class="deleted">
      <p class="path">
        <a href={hrefOf("animals")}>{later().animal.allAnimals}</a>
      </p>
      <h1 ref={heading} tabIndex={-1}>
        {words.title(name)}
      </h1>
      <p role="alert" class="held">
        {words.explanation}
      </p>
      <dl>
        {texts.map(({ label, text }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd dir="auto">{text}</dd>
          </div>
        ))}
      </dl>
      <div class="buttons">
        <Button kind="primary" label={words.copy} onClick={() => void copy(writeTexts(texts))} />
      </div>
      <p role="status">{message}</p>
    </div>
  );
}

function writeTexts(texts: UnsavedText[]): string {
  return texts.map(({ label, text }) => `${label}: ${text}`).join("\n");
}
