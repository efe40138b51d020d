// Chromium for tests and pictures.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

export const chromium_path = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

export function has_browser() {
  return existsSync(chromium_path);
}

export async function start_browser() {
  return chromium.launch({ executablePath: chromium_path, args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"] });
}
