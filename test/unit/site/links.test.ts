// Addresses that staff wrote: only pages, letters and calls become links.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mailLink, phoneLink, webLink } from "../../../src/site/links.ts";

test("only http and https addresses are links", () => {
  for (const address of [
    "javascript:alert(1)",
    " java\nscript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "//other.example",
    "/path",
    "",
    undefined,
  ])
    assert.equal(webLink(address), undefined);
  assert.equal(webLink("https://a.example/?q='\"<"), "https://a.example/?q=%27%22%3C");
  assert.equal(webLink("HTTP://a.example"), "http://a.example/");
});

test("a letter has its subject and text encoded, and one address", () => {
  assert.equal(
    mailLink('a?b&c="d@x.example', { subject: "Luna & Max\r\nBcc: x", body: "https://a.example/1" }),
    "mailto:a%3Fb%26c%3D%22d@x.example?subject=Luna%20%26%20Max%0D%0ABcc%3A%20x&body=https%3A%2F%2Fa.example%2F1",
  );
  for (const email of ["", "x", "@x", "x@", undefined]) assert.equal(mailLink(email), undefined);
});

test("a call has digits alone", () => {
  assert.equal(phoneLink(" +49 (30) 12-34"), "tel:+49301234");
  assert.equal(phoneLink("030/1234"), "tel:0301234");
  assert.equal(phoneLink("030 / 123-456"), "tel:030123456");
  assert.equal(phoneLink("(+49) 30 1234"), "tel:+49301234");
  assert.equal(phoneLink("+1.212.555.0100"), "tel:+12125550100");
  assert.equal(phoneLink("javascript:1"), undefined);
  assert.equal(phoneLink("12"), undefined);
  assert.equal(phoneLink(), undefined);
});

test("a zero in brackets after a country code is not dialled", () => {
  assert.equal(phoneLink("+49 (0)30 123456"), "tel:+4930123456");
  assert.equal(phoneLink("+49 (0) 30 123456"), "tel:+4930123456");
  assert.equal(phoneLink("0049 (0)30 123456"), "tel:004930123456");
  assert.equal(phoneLink("(0)30 123456"), "tel:030123456");
});

test("a text with words or several numbers is no call", () => {
  for (const phone of [
    "030/1234 or 0171-555 ext. 9",
    "0800-ADOPT",
    "ext 12",
    "030 123456, 0171 555666",
    "030 123456; 0171 555666",
    "030 123456 / 0171 555666",
    "030 123456\n0171 555666",
    "+49 30 123456 +49 171 555666",
    "030 123456 #9",
    "1".repeat(16),
  ])
    assert.equal(phoneLink(phone), undefined, phone);
});
