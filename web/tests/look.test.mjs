// Light, dark, paper, narrow, keys, and ten thousand points.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { binary_report } from "../scripts/samples/binary.mjs";
import { motorcycle_report } from "../scripts/samples/motorcycle.mjs";
import { has_browser, start_browser } from "./browser.mjs";
import { drawn, open_report, sample } from "./pages.mjs";

const skip = has_browser() ? false : "no chromium here";
/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  if (!skip) browser = await start_browser();
});
after(async () => browser?.close());

/** Lightness, 0 to 255, of the page's ground and ink, and the region map's picture. @param {import("playwright-core").Page} page */
async function tones(page) {
  return page.evaluate(() => {
    const lightness = (/** @type {string} */ text) => (text.match(/[\d.]+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part) / 3, 0);
    const style = getComputedStyle(document.body);
    return { ground: lightness(style.backgroundColor), ink: lightness(style.color), picture: document.querySelector("#regions svg image")?.getAttribute("href") ?? "" };
  });
}

/** WCAG contrast of an element's colour with the page's ground. @param {import("playwright-core").Page} page @param {string} selector */
async function contrast(page, selector) {
  return page.evaluate((wanted) => {
    const luminance = (/** @type {string} */ text) => {
      const [r = 0, g = 0, b = 0] = (text.match(/[\d.]+/g) ?? []).map((part) => Number(part) / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const node = /** @type {Element} */ (document.querySelector(wanted));
    const pair = [luminance(getComputedStyle(node).color), luminance(getComputedStyle(document.body).backgroundColor)].sort((a, b) => b - a);
    return ((pair[0] ?? 0) + 0.05) / ((pair[1] ?? 0) + 0.05);
  }, selector);
}

test("light and dark follow the system, and canvases with them", { skip }, async () => {
  const { page, complaints, close } = await open_report(browser, sample("binary"), { colorScheme: "light" });
  const light = await tones(page);
  assert.ok(light.ground > 230 && light.ink < 60);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(() => document.documentElement.dataset["theme"] === "dark");
  const dark = await tones(page);
  assert.ok(dark.ground < 50 && dark.ink > 200);
  assert.notEqual(dark.picture, light.picture);
  await page.keyboard.press("t");
  const back = await tones(page);
  assert.equal(back.picture, light.picture);
  assert.deepEqual(complaints, []);
  await close();
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  test(`text has enough contrast in ${colorScheme}`, { skip }, async () => {
    const { page, close } = await open_report(browser, sample("binary"), { colorScheme });
    for (const selector of ["h1", ".lead", ".eyebrow", "nav a", ".tile .beside", "figure svg.plot", ".numbers summary", "figcaption", ".soft"]) {
      const ratio = await contrast(page, selector);
      assert.ok(ratio >= 4.5, `${selector}: ${ratio.toFixed(2)}`);
    }
    await close();
  });
}

test("on paper: light, without index and buttons, charts redrawn to the page's width", { skip }, async () => {
  const { page, complaints, close } = await open_report(browser, sample("binary"), { colorScheme: "dark" });
  const dark = await tones(page);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.waitForFunction(() => "paper" in document.documentElement.dataset);
  await drawn(page);
  const paper = await tones(page);
  assert.ok(paper.ink < 60);
  assert.notEqual(paper.picture, dark.picture);
  for (const selector of [".side", "details.numbers", "button.quiet"]) assert.equal(await page.locator(selector).first().isVisible(), false, selector);
  assert.ok(await page.$$eval("figure svg.plot", (charts) => charts.every((chart) => chart.getBoundingClientRect().right <= 681)));
  const pdf = await page.pdf({ format: "A4" });
  assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
  await page.emulateMedia({ media: "screen", colorScheme: "dark" });
  await page.waitForFunction(() => !("paper" in document.documentElement.dataset));
  assert.ok(await page.locator("nav").isVisible());
  assert.deepEqual(complaints, []);
  await close();
});

for (const name of ["digits", "binary", "motorcycle", "several", "novelty", "density", "features", "clusters"]) {
  test(`${name} fits into 360 pixels`, { skip }, async () => {
    const { page, complaints, close } = await open_report(browser, sample(name), { viewport: { width: 360, height: 740 } });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `${width} pixels`);
    assert.ok(await page.$$eval("figure svg.plot", (charts) => charts.every((chart) => chart.getBoundingClientRect().right <= 361)));
    assert.deepEqual(complaints, []);
    await close();
  });
}

test("charts follow the width of the window", { skip }, async () => {
  const { page, close } = await open_report(browser, sample("motorcycle"));
  const width = () => page.locator("#curve svg.plot").evaluate((chart) => Number(chart.getAttribute("width")));
  const before_width = await width();
  await page.setViewportSize({ width: 700, height: 800 });
  await page.waitForFunction((old) => Number(document.querySelector("#curve svg.plot")?.getAttribute("width")) < old, before_width);
  assert.ok((await width()) <= 652);
  await close();
});

test("keys: sections, help, the link that skips the index", { skip }, async () => {
  const { page, close } = await open_report(browser, sample("binary"));
  const focused = () => page.evaluate(() => document.activeElement?.id ?? "");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.className), "skip");
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "main");
  for (const id of ["warnings", "metrics", "confusion"]) {
    await page.keyboard.press("j");
    assert.equal(await focused(), id);
  }
  const top = await page.locator("#confusion").evaluate((node) => node.getBoundingClientRect().top);
  assert.ok(top >= 0 && top < 200, `the section is at the top: ${top}`);
  assert.equal(await page.locator("nav a[aria-current]").innerText(), "Confusion matrix");
  await page.keyboard.press("k");
  assert.equal(await focused(), "metrics");
  await page.keyboard.press("?");
  assert.ok(await page.locator("dialog").isVisible());
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("dialog").isVisible()));
  await close();
});

test("a class is singled out in all charts of the section", { skip }, async () => {
  const { page, close } = await open_report(browser, sample("digits"));
  const strong = () => page.$$eval("#ranking figure:first-of-type g[aria-label=line]", (lines) => lines.filter((line) => Number(line.getAttribute("stroke-opacity") ?? 1) > 0.5).length);
  assert.equal(await strong(), 10);
  const chip = page.locator("#ranking .chips button").nth(7);
  await chip.click();
  assert.equal(await chip.getAttribute("aria-pressed"), "true");
  assert.equal(await strong(), 1);
  await chip.click();
  assert.equal(await strong(), 10);
  await close();
});

test("tooltips say what is under the pointer", { skip }, async () => {
  const { page, close } = await open_report(browser, sample("binary"));
  await page.locator("#tuning").scrollIntoViewIfNeeded();
  const chart = page.locator("#tuning svg.plot").first();
  await chart.hover({ position: { x: 200, y: 120 } });
  await page.waitForFunction(() => /accuracy/.test(document.querySelector("#tuning svg.plot g[aria-label=tip]")?.textContent ?? ""));
  await close();
});

// No clock: a chart of ten thousand points must cost as few elements as one of a hundred.
test("ten thousand points cost no more elements than a few", { skip }, async () => {
  for (const make of [motorcycle_report, binary_report]) {
    const few = await open_report(browser, make(600));
    const many = await open_report(browser, make(10000));
    const elements = (/** @type {import("playwright-core").Page} */ page) => page.evaluate(() => document.querySelectorAll("#residuals svg *, #curve svg *, #regions svg *").length);
    assert.ok((await elements(many.page)) <= (await elements(few.page)) + 60);
    assert.deepEqual(many.complaints, []);
    const took = await many.page.evaluate(() => performance.getEntriesByType("navigation").map((entry) => Math.round(entry.duration))[0]);
    console.log(`# ${make.name} with 10000 points: loaded in ${took} ms`);
    await few.close();
    await many.close();
  }
});
