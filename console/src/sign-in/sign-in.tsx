// The sign-in form: an API key, kept for this tab, or on the device where the user asks for it. It takes the link of an invitation, too.

import { useEffect, useRef } from "preact/hooks";
import { AuthenticationError } from "../../../client/src/client.ts";
import { Field } from "../shared/parts/field.tsx";
import { Form } from "../shared/parts/form.tsx";
import { Mark } from "../shared/parts/mark.tsx";
import { addressOf } from "../shared/state/addresses.ts";
import { PRODUCT } from "../shared/state/brand.ts";
import { endReason, signIn } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import { findCode, joinCode } from "./join-code.ts";

/** The service writes it into the page, because nobody is signed in here. */
const IS_SITE_OPEN = document.documentElement.dataset.publicPages === "open";
const COMMAND = document.documentElement.dataset.command;
const CREATE_KEY = `${COMMAND} keys create --name Console --plan pro --access admin`;

export function SignIn() {
  const texts = t().signIn;
  const main = useRef<HTMLElement>(null);
  // Needed after signing out, when the page is not reloaded.
  useEffect(() => {
    document.title = PRODUCT;
    // On a phone, the keyboard would cover the reason.
    if (endReason.peek() === undefined) main.current?.querySelector("input")?.focus();
  }, []);

  return (
    <main class="sign-in" ref={main}>
      <h1>
        <Mark />
        {PRODUCT}
      </h1>
      {IS_SITE_OPEN && (
        <p class="visitors">
          {texts.lookingForAnimal} <a href={addressOf("animals")}>{texts.seeAnimals}</a>
        </p>
      )}
      {endReason.value !== undefined && (
        <p role="alert" class="ended">
          {endReason.value}
        </p>
      )}
      <Form action={texts.action} onSubmit={submit}>
        <KeyFields />
      </Form>
      <p class="quiet">{texts.noKey}</p>
      <details>
        <summary>{texts.isOperator}</summary>
        <p>
          {texts.forOperators}
          <code>{CREATE_KEY}</code>
        </p>
      </details>
    </main>
  );
}

/** Signs in with a key; the code of an invitation leads to its form. */
async function submit(fields: FormData, signal: AbortSignal): Promise<void> {
  const key = String(fields.get("key")).trim();
  const code = findCode(key);
  if (code !== undefined) {
    joinCode.value = code;
    return;
  }
  try {
    await signIn(key, { isRemembered: fields.has("remember"), signal });
  } catch (error) {
    if (error instanceof AuthenticationError || error instanceof TypeError)
      throw new Error(t().signIn.unknownKey);
    throw error;
  }
}

function KeyFields() {
  const texts = t().signIn;
  return (
    <>
      <Field
        label={texts.key}
        name="key"
        type="password"
        required
        autoComplete="off"
        spellcheck={false}
        missing={texts.enterKey}
      />
      <div class="field remember">
        <label>
          <input type="checkbox" name="remember" aria-describedby="remember-hint" />
          {texts.remember}
        </label>
        <small id="remember-hint">{texts.rememberHint}</small>
      </div>
    </>
  );
}
