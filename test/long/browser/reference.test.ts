// The reference page in a real browser: its code, its search, its menu and its forms, on a desktop and on a phone.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import type { BrowserContext, Page } from "playwright-core";
import { ERRORS } from "../../../src/domain/basics/errors.ts";
import { connectToChromium, openContext } from "../../harness/clients/chromium.ts";
import { keepScreenshot, untilShown } from "../../harness/clients/console.ts";
import { assertAccessible } from "../../harness/clients/looks.ts";
import { SCENE_MS } from "../../harness/runner/patience.ts";
import { ADMIN_KEY, type AppHarness, startApp } from "../../harness/servers/app.ts";

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const GROUNDS = [
  ["light", "rgb(255, 253, 249)"],
  ["dark", "rgb(29, 26, 23)"],
] as const;
const LAYOUT_SHIFT_MAX = 0.02;
const run = promisify(execFile);
/** One section of each form, for axe, which takes half a minute for the whole page. */
const KEPT = [
  "paging",
  "widget",
  "listListings",
  "getPet",
  "createPet",
  "addPhoto",
  "deletePet",
  "shape-Pet",
];

/** By their ids: in a page of this size, a search by label or role takes a tenth of a second. */
const keyOf = (page: Page) => page.locator("#key");
const searchOf = (page: Page) => page.locator("#search");

type ReferenceScene = AppHarness & { context: BrowserContext; page: Page };

/** Afterwards, the page must have asked no other host, logged no error, and put no key into an address. */
function testReference(
  name: string,
  subtests: (t: TestContext, scene: ReferenceScene) => Promise<void>,
): void {
  test(name, { timeout: SCENE_MS }, async (t) => {
    const [app, context] = await Promise.all([startApp(t), connectToChromium(t)]);
    const { page, requested, errors } = await openReference(context, app.url);
    await subtests(t, { ...app, context, page });
    const isForeign = (address: string) => !address.startsWith(`${app.url}/`) && !address.startsWith("data:");
    const hasKey = (address: string) => address.includes(ADMIN_KEY) || address.includes("ask_live_");
    assert.deepEqual(
      requested.filter((address) => isForeign(address) || hasKey(address)),
      [],
    );
    assert.deepEqual(errors, []);
  });
}

testReference("The reference at /docs can be read", async (t, { url, page }) => {
  await t.test("groups operations by resource, and lists limits and errors", async () => {
    const groups = await page
      .locator("#contents > ul > li")
      .evaluateAll((items) =>
        items.map((item) => [
          item.querySelector("a")?.textContent,
          item.querySelector('a[href="#createOrder"]') !== null,
        ]),
      );
    const { tags }: { tags: Array<{ name: string }> } = await (await fetch(`${url}/openapi.json`)).json();
    assert.ok(tags.length >= 9);
    const names = ["Guides", ...tags.map(({ name }) => name), "Shapes", "Limits", "Errors"];
    assert.deepEqual(
      groups,
      names.map((name) => [name, name === "Store"]),
    );
    const rowsOf = (chapter: string) => page.locator(`#${chapter} tbody tr`).allInnerTexts();
    assert.equal((await rowsOf("limits"))[0], "free\t60\t1,000");
    const codes = (await rowsOf("errors")).map((row) => row.split("\t").slice(0, 2));
    const expected = Object.entries(ERRORS).map(([code, { status }]) => [code, String(status)]);
    assert.deepEqual(codes, expected);
  });

  await t.test("gives every id once, and every link of the page a target", async () => {
    const [repeated, dead] = (await page.evaluate(`(() => {
      const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
      const links = [...document.querySelectorAll('a[href^="#"]')].map((link) => link.hash.slice(1));
      return [ids.filter((id, place) => ids.indexOf(id) !== place), links.filter((id) => !ids.includes(id))];
    })()`)) as string[][];
    assert.deepEqual(repeated, []);
    assert.deepEqual(dead, []);
  });

  await t.test("shows the fields of a body with their limits where the operation is", async () => {
    const cells = page.locator("#createKey tr", { hasText: "in the body" }).locator("td:first-child");
    const fields = await cells.allInnerTexts();
    assert.deepEqual(fields.slice(0, 2), ["kind in the body", "name in the body, required"]);
    const name = page.locator("#createShelter tr", { hasText: "address.city in the body" });
    assert.match(await name.innerText(), /string/);
  });

  await t.test("has a colour for each method, and for the parts of code", async () => {
    const colourOf = (selector: string, property: "color" | "backgroundColor") =>
      page
        .locator(selector)
        .first()
        .evaluate((element, name) => getComputedStyle(element)[name], property);
    const methods = ["get", "post", "patch", "delete"].map((method) => `main .method.${method}`);
    const grounds = await Promise.all(methods.map((method) => colourOf(method, "backgroundColor")));
    assert.equal(new Set(grounds).size, methods.length, `${grounds}`);
    const parts = ["", " .string", " .word", " .name"].map((part) => `#createPet-sh${part}`);
    const colours = await Promise.all(parts.map((part) => colourOf(part, "color")));
    assert.equal(new Set(colours).size, parts.length, `${colours}`);
  });
});

testReference("The reference at /docs works for every reader", async (t, { context, url, page }) => {
  await t.test("marks the section that is read in the menu, and links every heading to itself", async () => {
    const current = () => page.locator("#contents [aria-current]").allInnerTexts();
    await page.locator('#contents a[href="#createOrder"]').click();
    await untilShown(current, ["POST Place an order"]);
    await page.locator("#paging h3 a").click();
    await untilShown(current, ["Paging"]);
    assert.equal(await page.evaluate("location.hash"), "#paging");
    const headings = await page.locator("h2, h3").count();
    assert.equal(await page.locator("h2 > a.anchor, h3 > a.anchor").count(), headings);
  });

  await t.test("the menu on a phone opens, closes with a choice, and leaves the text in view", async () => {
    await page.setViewportSize(PHONE);
    await page.goto(`${url}/docs`);
    const top = (await page.locator("h1").boundingBox())?.y ?? 999;
    assert.ok(top < 200, `the first heading is at ${top}`);
    assert.ok(!(await page.locator("#contents").isVisible()));
    await page.getByRole("button", { name: "Contents" }).click();
    await page.locator('#contents a[href="#createOrder"]').click();
    assert.ok(!(await page.locator("#contents").isVisible()));
    await untilShown(
      async () => Math.round((await page.locator("#createOrder h3").boundingBox())?.y ?? 0) < 200,
      true,
    );
    await page.setViewportSize(DESKTOP);
  });

  await t.test("Copy covers no code, and everything that scrolls can be reached by keyboard", async (t) => {
    t.after(() => page.setViewportSize(DESKTOP));
    await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
    for (const size of [DESKTOP, PHONE]) {
      await page.setViewportSize(size);
      assert.deepEqual(await coveredCode(page), [], `at ${size.width}`);
      await untilShown(() => unreachable(page), []);
    }
  });

  await t.test("can be read without a script, with all samples and without dead controls", async () => {
    const plain = await openContext(context, { javaScriptEnabled: false });
    const reader = await plain.newPage();
    await reader.goto(`${url}/docs#createPet`);
    assert.equal(await reader.locator("#createPet [role=tabpanel]:visible").count(), 3);
    for (const selector of ["#search", "#key", ".try", ".copy", "[role=tablist]"])
      assert.equal(await reader.locator(`${selector}:visible`).count(), 0, selector);
    await plain.close();
  });
});

testReference(
  "The reference at /docs uses the reader's key and language",
  async (t, { url, createKey, page }) => {
    await t.test("fills the key and the address of the reader into code that can be pasted", async () => {
      const code = page.locator("#createPet-sh");
      assert.match((await code.textContent()) ?? "", /Bearer ask_live_YOUR_KEY/);
      await page.getByLabel("Your API key").fill(ADMIN_KEY);
      assert.match((await code.textContent()) ?? "", new RegExp(`Bearer ${ADMIN_KEY}'`));
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.locator("#createPet .samples .copy").first().click();
      await page.locator("#createPet .copy").getByText("Copied").waitFor();
      const copied = (await page.evaluate("navigator.clipboard.readText()")) as string;
      const { stdout } = await run("sh", ["-c", copied]);
      assert.equal(JSON.parse(stdout).name, "Rex");
      const line = (await page.locator("#paging pre").first().textContent()) ?? "";
      const env = { PATH: process.env.PATH, KEY: ADMIN_KEY };
      assert.match((await run("sh", ["-c", line], { env })).stdout, /^HTTP\/1\.1 200 OK\r\n/);
      // A quote in a key would end the string of the code.
      await keyOf(page).fill("an-odd'key");
      assert.match((await code.textContent()) ?? "", /Bearer ask_live_YOUR_KEY/);
      // As the console does with a key that it remembers on this device.
      await page.evaluate(
        "for (const [name, key] of Object.entries(sessionStorage)) localStorage.setItem(name, key)",
      );
      await page.getByRole("button", { name: "Forget" }).click();
      assert.equal(await keyOf(page).inputValue(), "");
      await page.reload();
      assert.equal(await keyOf(page).inputValue(), "");
      await keyOf(page).fill(ADMIN_KEY);
    });

    await t.test("shows all samples in the chosen language, by mouse and keyboard, also later", async () => {
      const shown = () =>
        page.locator("#createPet [role=tabpanel]:visible, #getOrder [role=tabpanel]:visible");
      const languages = () =>
        shown().evaluateAll((panels) => panels.map((panel) => panel.getAttribute("data-language")));
      const tab = page.locator("#getOrder").getByRole("tab", { name: "JavaScript" });
      await tab.scrollIntoViewIfNeeded();
      // As in browsers that do not keep the place by themselves.
      await page.evaluate("document.documentElement.style.overflowAnchor = 'none'");
      const before = await tab.boundingBox();
      await tab.click();
      assert.deepEqual(await languages(), ["js", "js"]);
      const after = await tab.boundingBox();
      const moved = Math.abs((after?.y ?? 0) - (before?.y ?? 0));
      // Browsers scroll by whole pixels.
      assert.ok(moved <= 1, `the tab stays where it is, but moved by ${moved}`);
      await page.keyboard.press("ArrowRight");
      assert.deepEqual(await languages(), ["python", "python"]);
      const focused = page.locator("#getOrder [role=tab]:focus");
      assert.equal(await focused.textContent(), "Python");
      await page.keyboard.press("ArrowRight");
      assert.equal(await focused.textContent(), "curl");
      await page.keyboard.press("End");
      await page.reload();
      assert.deepEqual(await languages(), ["python", "python"]);
      assert.equal(await page.locator("#getPet [role=tab][aria-selected=true]").textContent(), "Python");
      assert.equal(await keyOf(page).inputValue(), ADMIN_KEY);
      assert.match((await page.locator("#createPet .response").innerText()) ?? "", /^Response 201: Pet\n+\{/);
    });

    await t.test("shares the key with the console in the tab", async () => {
      const { key } = await createKey({ name: "Desk", access: "browse" });
      await keyOf(page).fill(key);
      await page.getByRole("link", { name: "Console" }).click();
      await page.getByRole("button", { name: "Sign out" }).waitFor();
      await page.waitForURL(`${url}/`);
      await page.getByRole("link", { name: "API reference" }).click();
      await untilShown(() => keyOf(page).inputValue(), key);
      await page.waitForURL(`${url}/docs`);
    });

    await t.test("prints without menu, forms and key, and with the responses", async (t) => {
      t.after(() => page.emulateMedia({ media: null }));
      const key = await keyOf(page).inputValue();
      await page.emulateMedia({ media: "print" });
      const isVisible = (selector: string) => page.locator(selector).first().isVisible();
      for (const selector of ["#contents", ".top", "#key-form", ".try", ".copy"])
        assert.ok(!(await isVisible(selector)), selector);
      for (const selector of ["#createPet [role=tabpanel][data-language=python]", "#createPet details table"])
        assert.ok(await isVisible(selector), selector);
      const shown = () => page.locator("#createPet-python").textContent();
      assert.ok((await shown())?.includes(key));
      await page.evaluate("dispatchEvent(new Event('beforeprint'))");
      assert.ok(!(await shown())?.includes(key));
      await page.evaluate("dispatchEvent(new Event('afterprint'))");
      assert.ok((await shown())?.includes(key));
    });

    await checkLooks(t, page, url);
  },
);

testReference("The reference at /docs finds and calls operations", async (t, { service, page }) => {
  await keyOf(page).fill(ADMIN_KEY);

  await t.test("finds operations, guides and error codes by keyboard", async () => {
    const options = page.locator("#results [role=option]");
    await page.locator("#content").press("/");
    await page.keyboard.type("createorder");
    assert.match(
      (await options.first().textContent()) ?? "",
      /^Place an order Operation POST \/store\/orders/,
    );
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate("location.hash"), "#createOrder");
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Place an order");
    const searches = {
      "idempotency guide": ["Idempotency Guide"],
      "how do I retry": ["Errors and retries Guide"],
      "jitter clients": ["Errors and retries Guide"],
      pet_not_av: ["pet_not_available Error"],
      "/store/inv": ["Count the animals Operation"],
    };
    for (const [query, wanted] of Object.entries(searches)) {
      await page.getByRole("combobox").fill(query);
      const found = await options.allTextContents();
      assert.deepEqual(
        found.slice(0, 1).map((text, index) => text.slice(0, wanted[index]?.length)),
        wanted,
        query,
      );
    }
    await searchOf(page).fill("order");
    assert.match((await options.first().textContent()) ?? "", /^Order Shape /);
    await page.keyboard.press("ArrowDown");
    assert.equal(await searchOf(page).getAttribute("aria-activedescendant"), "result-1");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    assert.equal(await searchOf(page).getAttribute("aria-activedescendant"), "result-11");
    await searchOf(page).fill("zebra crossing");
    assert.equal(await page.locator("#found").textContent(), "Nothing found");
    await page.keyboard.press("Escape");
    assert.equal(await searchOf(page).inputValue(), "");
    // A slash in a field is a character.
    await keyOf(page).press("End");
    await page.keyboard.press("/");
    assert.equal(await keyOf(page).inputValue(), `${ADMIN_KEY}/`);
    await keyOf(page).fill(ADMIN_KEY);
  });

  await t.test("a form sends its operation, and shows body, headers and request", async () => {
    await tryOperation(page, "createPet", { body: '{"name": "Luna", "categoryId": 9007199254740993}' });
    const created = await answerOf(page, "createPet");
    assert.match(created.outcome, /^201 Created after \d+ ms\.$/);
    assert.match(
      created.body,
      /^\{\n {2}"id": \d+,\n {2}"name": "Luna",\n {2}"categoryId": 9007199254740993,\n/,
    );
    assert.ok(!(await page.locator("#createPet .headers pre").isVisible()));
    assert.match(created.headers, /^location: /m);
    assert.match(created.curl, /^curl -X POST '[^']*\/v1\/pets' \\\n {2}-H 'Authorization: Bearer /);
    const { stdout } = await run("sh", ["-c", created.curl]);
    assert.match(stdout, /"categoryId":9007199254740993,/);

    await tryOperation(page, "createPet", { "Idempotency-Key": "once" });
    assert.doesNotMatch((await answerOf(page, "createPet")).headers, /idempotent-replayed/);
    await tryOperation(page, "createPet", {});
    assert.match((await answerOf(page, "createPet")).headers, /^idempotent-replayed: true$/m);

    const statuses = page.locator("#listPets select[name=status] option");
    assert.deepEqual(await statuses.allTextContents(), ["", "available", "pending", "sold"]);
    await tryOperation(page, "listPets", { limit: "1", status: "available" });
    assert.match((await answerOf(page, "listPets")).body, /^\[\n {2}\{\n {4}"id": 1,\n {4}"name": "Luna",/);
    await tryOperation(page, "getPet", { petId: "%zz/?$&" });
    const missing = await answerOf(page, "getPet");
    assert.match(missing.outcome, /^404 /);
    assert.match(missing.body, /"code": "pet_not_found"/);

    await tryOperation(page, "streamEvents", { after: "now" });
    const stream = page.locator("#streamEvents .body");
    await untilShown(async () => /^retry: \d+/.test((await stream.textContent()) ?? ""), true);
    await page.locator("#streamEvents").getByRole("button", { name: "Stop" }).click();
    await page.locator("#streamEvents .outcome").getByText("Stopped.").waitFor();
  });

  await t.test("says when the service does not respond", async () => {
    await service.stop();
    await tryOperation(page, "getUsage", {});
    const { outcome } = await answerOf(page, "getUsage");
    assert.match(outcome, /^No answer: .*Is the service running\?$/);
  });
});

async function openReference(context: BrowserContext, url: string) {
  const page = await context.newPage();
  const requested: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => requested.push(request.url()));
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    // The tests provoke a 404, and stop the service.
    const isProvoked = /status of 404|net::ERR_CONNECTION_REFUSED/.test(message.text());
    if (message.type() === "error" && !isProvoked) errors.push(message.text());
  });
  await page.setViewportSize(DESKTOP);
  await page.goto(`${url}/docs`);
  return { page, requested, errors };
}

/** The code that a button overlaps. */
function coveredCode(page: Page): Promise<unknown[]> {
  return page.locator(".code").evaluateAll((blocks) =>
    blocks.flatMap((block) => {
      const [code, copy] = [block.querySelector("pre"), block.querySelector(".copy")].map((each) =>
        (each as Element).getBoundingClientRect(),
      ) as [DOMRect, DOMRect];
      const isApart = copy.bottom <= code.top || copy.left >= code.right;
      return isApart ? [] : [block.textContent];
    }),
  );
}

/** What scrolls, but takes no focus and has nothing that does, or has no name. */
function unreachable(page: Page): Promise<unknown[]> {
  return page.locator("main *").evaluateAll((all) =>
    all
      .filter((each) => {
        const { overflowX, overflowY } = getComputedStyle(each);
        const isWide = /auto|scroll/.test(overflowX) && each.scrollWidth > each.clientWidth;
        const isHigh = /auto|scroll/.test(overflowY) && each.scrollHeight > each.clientHeight;
        if (!(isWide || isHigh) || each.matches("textarea, input")) return false;
        const isNamed = each.hasAttribute("aria-label") || each.hasAttribute("aria-labelledby");
        return each.getAttribute("tabindex") !== "0" || !isNamed;
      })
      .map((each) => each.outerHTML.slice(0, 200)),
  );
}

/** Loaded for each width, with a key and a remembered language, because these change the page while it loads. */
async function checkLooks(t: TestContext, page: Page, url: string): Promise<void> {
  await page.goto(`${url}/docs#createPet`);
  const looks = [
    ["desktop", DESKTOP, "light"],
    ["phone", PHONE, "dark"],
  ] as const;
  for (const [device, size, withAxe] of looks)
    await t.test(`fits a ${device} in light and dark mode, without shifts and axe findings`, async () => {
      await page.setViewportSize(size);
      await page.reload();
      const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      assert.equal(await page.evaluate(overflow), 0);
      const shift = (await page.evaluate(`new Promise((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += entry.value;
        }).observe({ type: "layout-shift", buffered: true });
        setTimeout(() => resolve(sum), 100);
      })`)) as number;
      assert.ok(shift < LAYOUT_SHIFT_MAX, `layout shift ${shift}`);
      for (const [colorScheme, ground] of GROUNDS) {
        await page.emulateMedia({ colorScheme });
        assert.equal(await page.evaluate("getComputedStyle(document.body).backgroundColor"), ground);
        await keepScreenshot(page, `reference-${device}-${colorScheme}`);
      }
      // Each width and each colour scheme once: no axe rule depends on both together.
      await page.emulateMedia({ colorScheme: withAxe });
      await page.evaluate(`
        const kept = ${JSON.stringify(KEPT)};
        for (const section of document.querySelectorAll("section[data-kind]"))
          if (!kept.includes(section.id)) section.remove();
        for (const item of document.querySelectorAll("#contents li li:nth-child(n+3), tr:nth-child(n+4)")) item.remove();
        for (const details of document.querySelectorAll("details")) details.open = true;`);
      await assertAccessible(page, `reference ${device}`);
    });
}

/** Opens the form of an operation, fills it in and sends it. */
async function tryOperation(page: Page, operation: string, fields: Record<string, string>): Promise<void> {
  const form = page.locator(`#${operation} .try form`);
  if (!(await form.isVisible())) await page.locator(`#${operation}`).getByText("Try it").click();
  for (const [name, value] of Object.entries(fields)) {
    const field = form.locator(`[name="${name}"]`);
    if ((await field.evaluate(({ tagName }) => tagName)) === "SELECT") await field.selectOption(value);
    else await field.fill(value);
  }
  await form.getByRole("button", { name: "Send" }).click();
}

async function answerOf(page: Page, operation: string) {
  const section = page.locator(`#${operation}`);
  await section.getByRole("button", { name: "Send" }).waitFor();
  const textOf = async (selector: string) => (await section.locator(selector).textContent()) ?? "";
  return {
    outcome: await textOf(".outcome"),
    body: await textOf(".body"),
    headers: await textOf(".headers pre"),
    curl: await textOf(".sent pre"),
  };
}
