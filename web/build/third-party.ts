// The licence notices of the packages that a bundle contains, each licence text once.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../node_modules", import.meta.url));

// The names of the packages to which the modules (paths) belong.
export function packages_of(modules: string[]): string[] {
  const names = new Set<string>();
  for (const module of modules) {
    const match = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(module);
    if (match?.[1]) names.add(match[1]);
  }
  return [...names];
}

export function third_party_notice(names: string[]): string {
  // By the text without its copyright lines: packages of one author differ in nothing but the year.
  const groups = new Map<string, { heads: string[]; text: string }>();
  for (const name of [...new Set(names)].sort()) {
    const folder = join(root, name);
    const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string; license: string };
    const file = existsSync(folder) ? readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry)) : undefined;
    if (!file) throw new Error(`${name} has no licence file`);
    const text = readFileSync(join(folder, file), "utf8").replace(/\r/g, "").trim();
    const is_copyright = (line: string) => /^copyright (\(c\)|©|\d{4})/i.test(line.trim());
    const copyright = text.split("\n").filter(is_copyright);
    const rest = text.split("\n").filter((line) => !is_copyright(line)).join("\n").trim();
    const key = rest.replace(/\s+/g, " ").replace(/^(the )?(isc|mit) license( \([a-z]+\))? /i, "").toLowerCase();
    const group = groups.get(key) ?? { heads: [], text: rest };
    group.heads.push(`${name} ${about.version} (${about.license}): ${copyright.map((line) => line.trim()).join("; ") || "no copyright line"}`);
    groups.set(key, group);
  }
  const parts = ["This page contains the following software and typeface, under the terms given below each group."];
  for (const { heads, text } of groups.values()) parts.push(`${heads.join("\n")}\n\n${text}`);
  return parts.join("\n\n==========\n\n");
}
