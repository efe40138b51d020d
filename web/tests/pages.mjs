// Pages under test: a template filled with a report, opened in a browser in which no request gets out.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { filled, template } from "../scripts/fill.mjs";

const folder = mkdtempSync(join(tmpdir(), "report-page-"));
export const template_text = () => readFileSync(template, "utf8");

/** @param {string} name @returns {import("../src/report").Report} */
export function sample(name) {
  return JSON.parse(readFileSync(fileURLToPath(new URL(`../samples/${name}.json`, import.meta.url)), "utf8"));
}

/** Opens the report and waits until it is built.
 * @param {import("playwright-core").Browser} browser @param {unknown} report
 * @param {import("playwright-core").BrowserContextOptions} [options] */
export async function open_report(browser, report, options = {}) {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.html`);
  writeFileSync(file, filled(template_text(), report));
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  /** @type {string[]} */
  const complaints = [];
  const own = pathToFileURL(file).href;
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  await page.route("**/*", (route) => {
    const url = route.request().url();
    if (url === own || url.startsWith("data:")) return route.continue();
    complaints.push(`request: ${url}`);
    return route.abort();
  });
  await page.goto(own);
  await page.waitForFunction(() => document.documentElement.dataset["ready"] === "true");
  await drawn(page);
  return { page, complaints, close: () => context.close() };
}

/** Waits until every chart holds a drawing. @param {import("playwright-core").Page} page */
export async function drawn(page) {
  await page.waitForFunction(() => [...document.querySelectorAll("figure .chart")].every((chart) => chart.querySelector("svg")));
}
