// The page of the signed-in person: what they may do, another device, and signing out.

import { useSignal } from "@preact/signals";
import { Button } from "../shared/parts/button.tsx";
import { FactList } from "../shared/parts/fact-list.tsx";
import { Head } from "../shared/parts/head.tsx";
import { session, signOut } from "../shared/state/session.ts";
import { hasSeveralShelters } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { OtherDevice } from "./other-device.tsx";
import { accessWords, shelterWords } from "./people-words.ts";

export function Account() {
  const isOpen = useSignal(false);
  const texts = later().people.account;
  const current = session.value;
  if (current?.person === undefined) return null;
  const { person, access, shelterId } = current;
  const facts: Array<[string, string]> = [
    [t().keys.access, `${accessWords(access)} – ${later().people.levels[access]}`],
  ];
  if (hasSeveralShelters()) facts.push([t().shelters.one, shelterWords({ shelterId })]);
  return (
    <div class="account">
      <Head title={<bdi>{person.name}</bdi>} />
      <FactList facts={facts} />
      <section aria-labelledby="other-device">
        <h2 id="other-device">{texts.otherDevice}</h2>
        <p>{texts.otherDeviceHint}</p>
        <Button label={later().people.otherDevice.title} onClick={() => (isOpen.value = true)} />
      </section>
      <section aria-labelledby="sign-out">
        <h2 id="sign-out">{texts.thisDevice}</h2>
        <p>{texts.signOutHint}</p>
        <Button label={texts.signOut} onClick={() => signOut()} />
      </section>
      {isOpen.value && <OtherDevice onClose={() => (isOpen.value = false)} />}
    </div>
  );
}
