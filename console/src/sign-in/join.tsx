// The page of an opened invitation. Nothing is sent before the button is pressed, so that a preview of the link does not use it up.

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { NotFoundError } from "../../../client/src/client.ts";
import { Button } from "../shared/parts/button.tsx";
import { Form } from "../shared/parts/form.tsx";
import { Mark } from "../shared/parts/mark.tsx";
import { PRODUCT } from "../shared/state/brand.ts";
import { notify } from "../shared/state/notices.ts";
import { acceptInvitation, session, signIn } from "../shared/state/session.ts";
import { findStoredKey } from "../shared/state/stored-key.ts";
import { t } from "../shared/texts/language.ts";
import { DeviceFields, readDevice } from "./device-fields.tsx";
import { joinCode } from "./join-code.ts";

export function Join({ code }: { code: string }) {
  const isRefused = useSignal(code === "");
  useEffect(() => {
    document.title = PRODUCT;
  }, []);
  return (
    <main class="sign-in">
      <p class="product">
        <Mark />
        {PRODUCT}
      </p>
      {isRefused.value ? <Refused /> : <Offer code={code} onRefused={() => (isRefused.value = true)} />}
    </main>
  );
}

function close(): void {
  joinCode.value = undefined;
}

function Offer({ code, onRefused }: { code: string; onRefused: () => void }) {
  const texts = t().join;
  /** The code works once: a second attempt uses its key. */
  const accepted = useRef<Awaited<ReturnType<typeof acceptInvitation>> | undefined>(undefined);
  const [isTaken] = useState(() => session.peek() !== undefined || findStoredKey() !== undefined);

  async function submit(fields: FormData, signal: AbortSignal): Promise<void> {
    const { device, isRemembered } = readDevice(fields);
    try {
      accepted.current ??= await acceptInvitation({ code, ...(device && { device }) }, isRemembered);
    } catch (error) {
      if (error instanceof NotFoundError) return onRefused();
      throw error;
    }
    await signIn(accepted.current.key, { isRemembered, signal });
    notify(texts.welcome(accepted.current.person.name));
    close();
  }

  return (
    <>
      <h1>{isTaken ? texts.askTitle : texts.title}</h1>
      <p>{isTaken ? <Taken /> : texts.about}</p>
      <Form
        action={texts.action}
        onSubmit={submit}
        {...(isTaken && { onCancel: close, cancelLabel: texts.toConsole })}
      >
        <DeviceFields />
      </Form>
    </>
  );
}

/** Who is signed in on the device already. */
function Taken() {
  const texts = t().join;
  const name = session.value?.person?.name;
  return <>{name === undefined ? texts.ask : texts.askNamed(name)}</>;
}

/** The same for every code that does not work, whatever the reason. */
function Refused() {
  const texts = t().join;
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), []);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {texts.refusedTitle}
      </h1>
      <p>{texts.refused}</p>
      <p>{texts.refusedNext}</p>
      <Button
        kind="primary"
        label={session.value === undefined ? texts.toSignIn : texts.toConsole}
        onClick={close}
      />
    </>
  );
}
