// A picture of a report page, of its whole length.
//
// usage: node scripts/screenshot.mjs FILE.html OUT.png [--dark] [--print] [--width W] [--height H] [--section ID]
//   --height H    only the first H pixels
//   --section ID  only that section
//   --print       as it goes to paper (OUT may end in .pdf)
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { start_browser } from "../tests/browser.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dark: { type: "boolean" }, print: { type: "boolean" }, width: { type: "string" }, height: { type: "string" }, section: { type: "string" },
  },
});
const [input, output] = positionals;
if (!input || !output) {
  console.error("usage: node scripts/screenshot.mjs FILE.html OUT.png [--dark] [--print] [--width W] [--height H] [--section ID]");
  process.exit(2);
}
const browser = await start_browser();
try {
  const width = Number(values.width ?? 1280);
  const page = await browser.newPage({
    viewport: { width, height: Number(values.height ?? 900) }, deviceScaleFactor: width < 600 ? 2 : 1, colorScheme: values.dark ? "dark" : "light",
  });
  await page.goto(pathToFileURL(input).href);
  await page.waitForFunction(() => document.documentElement.dataset["ready"] === "true");
  await page.waitForTimeout(300);
  if (values.print) await page.emulateMedia({ media: "print" });
  if (output.endsWith(".pdf")) await page.pdf({ path: output, format: "A4", printBackground: true });
  else if (values.section) await page.locator(`#${values.section}`).screenshot({ path: output });
  else await page.screenshot({ path: output, fullPage: values.height === undefined });
} finally {
  await browser.close();
}
