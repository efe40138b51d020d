// Every section of every sample is there and drawn; nothing complains; no request leaves the page.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { has_browser, start_browser } from "./browser.mjs";
import { open_report, sample } from "./pages.mjs";

const skip = has_browser() ? false : "no chromium here";
/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  if (!skip) browser = await start_browser();
});
after(async () => browser?.close());

/** @type {Record<string, {sections: string[], figures: number}>} */
const expected = {
  digits: { sections: ["warnings", "metrics", "confusion", "ranking", "calibration", "margins", "influence", "gram", "solution", "model", "cost", "provenance"], figures: 10 },
  motorcycle: { sections: ["warnings", "metrics", "residuals", "coverage", "curve", "loss", "gram", "solution", "model", "cost", "provenance"], figures: 13 },
  quantiles: { sections: ["metrics", "residuals", "below", "curve", "solution", "model", "cost", "provenance"], figures: 7 },
  tube: { sections: ["metrics", "residuals", "curve", "solution", "model", "cost", "provenance"], figures: 6 },
  novelty: { sections: ["metrics", "novelty", "regions", "solution", "model", "cost", "provenance"], figures: 4 },
  binary: { sections: ["warnings", "metrics", "confusion", "ranking", "calibration", "margins", "error-reject", "regions", "relevance", "influence", "tuning", "learning", "gram", "solution", "model", "cost", "provenance"], figures: 14 },
  several: { sections: ["metrics", "residuals", "regions", "relevance", "tuning", "gram", "solution", "model", "cost", "provenance"], figures: 10 },
  density: { sections: ["metrics", "likelihood", "density", "regions", "solution", "model", "cost", "provenance"], figures: 6 },
  column: { sections: ["metrics", "likelihood", "density", "solution", "model", "cost", "provenance"], figures: 5 },
  features: { sections: ["features", "solution", "model", "cost", "provenance"], figures: 5 },
  clusters: { sections: ["clusters", "regions", "solution", "model", "cost", "provenance"], figures: 3 },
  minimal: { sections: ["model", "provenance"], figures: 0 },
};

for (const [name, { sections, figures }] of Object.entries(expected)) {
  test(`${name}: sections, charts, no complaint`, { skip }, async () => {
    const { page, complaints, close } = await open_report(browser, sample(name));
    const found = await page.$$eval("main > section", (nodes) => nodes.map((node) => node.id));
    assert.deepEqual(found, sections);
    const leads = await page.$$eval("section > .lead", (nodes) => nodes.map((node) => node.textContent ?? ""));
    assert.equal(leads.length, sections.length);
    for (const lead of leads) assert.match(lead, /^[A-Z0-9].*\.$/);
    assert.equal(await page.locator("figure svg.plot").count(), figures);
    const faults = await page.$$eval("figure svg.plot", (charts) => charts.flatMap((chart) => {
      const box = chart.getBoundingClientRect();
      const text = new XMLSerializer().serializeToString(chart).replace(/data:[^"]*/g, "");
      const marks = chart.querySelectorAll("path, circle, rect, image, line").length;
      const name = chart.getAttribute("aria-label") ?? "";
      return [
        name === "" ? ["a chart without a name"] : [], chart.getAttribute("aria-description") ? [] : [`${name}: no description`],
        /NaN|undefined|Infinity/.test(text) ? [`${name}: ${/.{40}(NaN|undefined|Infinity).{20}/.exec(text)?.[0]}`] : [],
        marks < 2 ? [`${name}: ${marks} marks`] : [], box.width < 200 || box.height < 60 ? [`${name}: ${box.width} x ${box.height}`] : [],
      ].flat();
    }));
    assert.deepEqual(faults, []);
    const links = await page.$$eval("nav a", (nodes) => nodes.map((node) => node.getAttribute("href")));
    assert.deepEqual([...links].sort(), sections.map((id) => `#${id}`).sort());
    assert.doesNotMatch(await page.locator("main").innerText(), /NaN|undefined|\[object/);
    assert.deepEqual(complaints, []);
    await close();
  });
}

test("what is painted on canvas has the colours of the data", { skip }, async () => {
  const { page, close } = await open_report(browser, sample("binary"));
  // Corners of the region map lie deep in one class each.
  const [left, right] = await page.evaluate(async () => {
    const image = document.querySelector("#regions svg image");
    const picture = new Image();
    picture.src = image?.getAttribute("href") ?? "";
    await picture.decode();
    const canvas = document.createElement("canvas");
    canvas.width = picture.width;
    canvas.height = picture.height;
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.drawImage(picture, 0, 0);
    const at = (/** @type {number} */ x, /** @type {number} */ y) => [...context.getImageData(x, y, 1, 1).data];
    return [at(4, 4), at(picture.width - 5, picture.height - 5)];
  });
  assert.ok(left && right);
  assert.ok((left[2] ?? 0) > (left[0] ?? 0) + 40, `the upper class is blue: ${left}`);
  assert.ok((right[0] ?? 0) > (right[2] ?? 0) + 40, `the lower class is vermilion: ${right}`);
  await close();
});

test("a section that cannot be drawn leaves the others", { skip }, async () => {
  const report = sample("binary");
  // @ts-expect-error deliberately of the wrong kind
  report.tuning.points[0].parameters = null;
  const { page, complaints, close } = await open_report(browser, report);
  assert.match(await page.locator("#tuning").innerText(), /could not be drawn/);
  assert.ok(await page.locator("#learning svg.plot").isVisible());
  assert.equal(complaints.length, 1);
  await close();
});

test("a plane without a grid shows the rows alone", { skip }, async () => {
  const report = sample("binary");
  if (report.regions) Object.assign(report.regions, { value: [], label: [] });
  const { page, complaints, close } = await open_report(browser, report);
  assert.match(await page.locator("#regions").innerText(), /The rows on a plane/);
  assert.deepEqual(complaints, []);
  await close();
});

test("numbers of every chart open as a table with the data", { skip }, async () => {
  for (const name of ["binary", "motorcycle", "novelty", "several", "digits", "density", "column", "features", "clusters"]) {
    const { page, complaints, close } = await open_report(browser, sample(name));
    const details = page.locator("figure details.numbers");
    const count = await details.count();
    for (let i = 0; i < count; ++i) {
      await details.nth(i).locator("summary").click();
      await details.nth(i).locator("tbody tr").first().waitFor();
      assert.ok(await details.nth(i).locator("caption").count());
    }
    assert.deepEqual(complaints, []);
    await close();
  }
  const { page, close } = await open_report(browser, sample("motorcycle"));
  await page.locator("#coverage details summary").click();
  await page.locator("#coverage tbody tr").first().waitFor();
  const cells = await page.$$eval("#coverage tbody tr:last-child td", (nodes) => nodes.map((node) => Number(node.textContent)));
  const coverage = sample("motorcycle").regression?.coverage;
  assert.deepEqual(cells, [coverage?.nominal.at(-1), Number(coverage?.observed.at(-1)?.toFixed(5))]);
  await close();
});

test("a density without curves says why, and infinite values do not reach out of the chart", { skip }, async () => {
  const bare = sample("density");
  if (bare.density) Object.assign(bare.density, { curves: [], how: "This model has no marginal densities." });
  const first = await open_report(browser, bare);
  assert.match(await first.page.locator("#density").innerText(), /no marginal densities/);
  await first.close();
  const report = sample("column");
  const curve = report.density?.curves[0];
  assert.ok(curve);
  curve.density[60] = 1e6;
  curve.density[70] = null;
  const { page, complaints, close } = await open_report(browser, report);
  // The ticks of the density still have the size of the bars.
  const ticks = await page.$$eval("#density svg.plot g[aria-label='y-axis tick label'] text", (nodes) => nodes.map((node) => Number(node.textContent)));
  assert.ok(Math.max(...ticks.filter(Number.isFinite)) < 1.01, `${ticks}`);
  assert.deepEqual(complaints, []);
  await close();
});

test("the share of labels that clusters agree with", { skip }, async () => {
  const report = sample("clusters");
  const counts = report.clusters?.labels?.counts ?? [];
  const agreed = counts.reduce((sum, row) => sum + Math.max(...row), 0) / 150;
  const { page, close } = await open_report(browser, report);
  assert.ok((await page.locator("#clusters .lead").innerText()).includes(`${(100 * agreed).toFixed(1)}\u202f%`));
  await close();
});

test("text from data stays text", { skip }, async () => {
  const report = sample("several");
  report.title = "<img src=x onerror=alert(1)>";
  const { page, complaints, close } = await open_report(browser, report);
  assert.equal(await page.locator("h1").innerText(), report.title);
  assert.equal(await page.locator("img, main b").count(), 0);
  assert.match(await page.locator("#relevance").innerText(), /<b>bold<\/b><\/script>/);
  assert.deepEqual(complaints, []);
  await close();
});

test("the empty template says what it is", { skip }, async () => {
  const { page, complaints, close } = await open_report(browser, {});
  assert.match(await page.locator("main").innerText(), /template/);
  assert.deepEqual(complaints, []);
  await close();
});
