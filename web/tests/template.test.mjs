// The built file and the small functions, without a browser.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { filled, place } from "../scripts/fill.mjs";
import { template_text } from "./pages.mjs";

test("the template holds the place for data once, and is one small file", () => {
  const text = template_text();
  assert.equal(text.split(place).length - 1, 1);
  assert.ok(Buffer.byteLength(text) < 600_000, `${Buffer.byteLength(text)} bytes`);
  assert.doesNotMatch(text.replace(/<!--[\s\S]*-->/, ""), /<(script|link|img|iframe)[^>]+(src|href)="(?!data:)/);
  assert.doesNotMatch(text, /url\((?!["']?data:|#|["']?#|\$|["']?\$)["']?https?:/);
});

test("the template keeps the notices of what it contains", () => {
  const text = template_text();
  for (const words of ["@observablehq/plot 0.6.17 (ISC): Copyright 2020-2025 Observable, Inc.", "d3-array", "internmap", "Mike Bostock", "Permission to use, copy, modify", "SIL OPEN FONT LICENSE", "The Inter Project Authors"]) {
    assert.ok(text.includes(words), words);
  }
});

test("data with markup cannot end its element", () => {
  const page = filled(template_text(), { title: "</script><b>" });
  assert.equal(page.split("\\u003c/script>\\u003cb>").length - 1, 1);
});

test("the lock file names no registry", () => {
  assert.doesNotMatch(readFileSync(fileURLToPath(new URL("../package-lock.json", import.meta.url)), "utf8"), /"resolved"/);
});

test("the samples are what their script writes", () => {
  const folder = mkdtempSync(join(tmpdir(), "samples-"));
  const script = fileURLToPath(new URL("../scripts/make-samples.mjs", import.meta.url));
  assert.equal(spawnSync(process.execPath, [script, folder]).status, 0);
  const kept = fileURLToPath(new URL("../samples", import.meta.url));
  assert.deepEqual(readdirSync(folder).sort(), readdirSync(kept).sort());
  for (const name of readdirSync(folder)) assert.equal(readFileSync(join(folder, name), "utf8"), readFileSync(join(kept, name), "utf8"), name);
});
