// Sentences of the service about a file, in German.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { translate } from "../../../console/src/import/service-words.ts";
import { language } from "../../../console/src/shared/texts/language.ts";
import { CellFault, ORDER_WORDS, readDate } from "../../../src/transfer/formats/cell-values.ts";
import { readFee } from "../../../src/transfer/formats/fee-values.ts";
import { MEMBERS } from "../../../src/transfer/formats/find-columns.ts";
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

test("says in German why a date, a fee or a row cannot be read", (t) => {
  speakGerman(t);
  const none = { column: undefined, setting: undefined };
  const faults = [
    readDate("4/13/2023", "dmy"),
    readDate("4/1/2023", "ambiguous"),
    readFee("1.250 €", none),
    readFee("$20", { ...none, setting: "EUR" }),
    readFee("20", none),
    readFee("free", none),
    new CellFault("the row has 1 field, the first line has 3"),
    new CellFault("mixed must be true or false, or yes or no"),
  ];
  for (const fault of faults) {
    const message = fault instanceof CellFault ? fault.message : assert.fail(String(fault));
    assert.doesNotMatch(translate(message), /\b(?:the|must|or|Set|Check)\b/, message);
  }
});

test("a sentence that is not known stays as it is", (t) => {
  speakGerman(t);
  assert.equal(translate("Something new."), "Something new.");
});
