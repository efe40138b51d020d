// Puts a report (JSON) into the template, as the program does.
//
// usage: node scripts/fill.mjs REPORT.json OUT.html
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const template = fileURLToPath(new URL("../dist/report.html", import.meta.url));
export const place = '<script type="application/json" id="report-data">{}</script>';

/** @param {string} page the template's text @param {unknown} report @returns {string} */
export function filled(page, report) {
  const json = JSON.stringify(report).replaceAll("<", "\\u003c");
  const parts = page.split(place);
  if (parts.length !== 2) throw new Error(`the template holds the place for data ${parts.length - 1} times, not once`);
  return parts.join(place.replace("{}", () => json));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [input, output] = process.argv.slice(2);
  if (!input || !output) {
    console.error("usage: node scripts/fill.mjs REPORT.json OUT.html");
    process.exit(2);
  }
  writeFileSync(output, filled(readFileSync(template, "utf8"), JSON.parse(readFileSync(input, "utf8"))));
}
