// What the program found worth a warning.
import { element } from "../dom";
import { plural } from "../format";
import type { Report } from "../report";
import type { Section } from "../section";

export function warnings_section(report: Report): Section | null {
  const warnings = report.warnings ?? [];
  if (warnings.length === 0) return null;
  return {
    id: "warnings",
    title: "Warnings",
    group: "How well",
    lead: `${plural(warnings.length, "thing")} to look at before trusting the rest of this page.`,
    body: () => [element("ul", { class: "warnings" }, ...warnings.map((text) => element("li", {}, text)))],
  };
}
