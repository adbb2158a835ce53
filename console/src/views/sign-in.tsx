// The sign-in form: an API key, kept for this tab only.

import { useEffect, useRef } from "preact/hooks";
import { AuthenticationError } from "../../../client/src/client.ts";
import { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { signIn } from "../state/session.ts";

export function SignIn() {
  const main = useRef<HTMLElement>(null);
  // Needed after signing out, when the page is not reloaded.
  useEffect(() => {
    document.title = "Animal Store";
    main.current?.querySelector("input")?.focus();
  }, []);

  async function submit(fields: FormData, signal: AbortSignal): Promise<undefined> {
    try {
      await signIn(String(fields.get("key")).trim(), signal);
      return undefined;
    } catch (error) {
      if (error instanceof AuthenticationError || error instanceof TypeError)
        throw new Error("The service does not know this key. Check that you copied all of it.");
      throw error;
    }
  }

  return (
    <main class="sign-in" ref={main}>
      <h1>Animal Store</h1>
      <Form action="Sign in" onSubmit={submit}>
        <Field
          label="API key"
          name="key"
          type="password"
          required
          autoComplete="off"
          spellcheck={false}
          hint="It stays in this tab and is forgotten when you close it."
        />
      </Form>
      <p class="quiet">
        The service printed a key at its first start. If ADMIN_API_KEY was set, use its value instead. To
        create another key, run this on the server:
        <code>npm run -s animal-store -- keys create --name Console --plan pro --access admin</code>
      </p>
      <p>
        <a href="docs">Read the API reference</a>
      </p>
    </main>
  );
}
