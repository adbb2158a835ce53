// A text that people need elsewhere, with a button that copies it.

import { Button } from "./button.tsx";
import { useCopy } from "./copy.ts";

export function CopyText({ text, action }: { text: string; action: string }) {
  const { message, copy } = useCopy();
  return (
    <>
      <p>
        <code class="secret">{text}</code>
      </p>
      <p>
        <Button label={action} onClick={() => void copy(text)} /> <span role="status">{message}</span>
      </p>
    </>
  );
}
