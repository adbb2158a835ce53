// A person imports a spreadsheet with the mouse on a desktop and with the keyboard on a phone; browser/import has the other two.

import { testConsole } from "../../harness/clients/console.ts";
import { importAsPerson } from "../../harness/clients/import-as-person.ts";

testConsole("A person imports a German spreadsheet with 40 bad rows", async (t, scene) => {
  await scene.app.call("PUT", "/categories/1", { body: { name: "Dogs" } });
  await t.test("The mouse is enough on a desktop", (t) =>
    importAsPerson(t, scene, { device: "desktop", means: "mouse" }),
  );
  await t.test("The keyboard is enough on a phone", (t) =>
    importAsPerson(t, scene, { device: "phone", means: "keyboard" }),
  );
});
