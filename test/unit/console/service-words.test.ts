// Sentences of the service about a file, in German.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { translate } from "../../../console/src/import/service-words.ts";
import { language } from "../../../console/src/shared/texts/language.ts";
import { ORDER_WORDS } from "../../../src/transfer/formats/cell-values.ts";
import { MEMBERS } from "../../../src/transfer/formats/columns.ts";
import { readRowRules } from "../../../src/transfer/import/row-rules.ts";

function speakGerman(t: TestContext): void {
  language.value = "de";
  t.after(() => (language.value = "en"));
}

test("says in German what every member of an animal must be", async (t) => {
  speakGerman(t);
  const check = await readRowRules();
  for (const member of MEMBERS.filter((each) => each !== "age" && each !== "fee")) {
    const checked = check(member, {});
    const message = "error" in checked ? checked.error.message : assert.fail(member);
    assert.match(translate(message), /^(Erlaubt|Das ist kein)/, message);
    assert.doesNotMatch(translate(message), /must|characters|between/, message);
  }
});

test("says in German how dates are read", (t) => {
  speakGerman(t);
  for (const words of Object.values(ORDER_WORDS))
    assert.match(translate(`date, ${words}`), /^Datum, \p{L}+ /u, words);
});

test("a sentence that is not known stays as it is", (t) => {
  speakGerman(t);
  assert.equal(translate("Something new."), "Something new.");
});
