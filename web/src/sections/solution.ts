// What the solver found: support vectors, gap, jitter, condition, evidence.
import { element } from "../dom";
import { number_text } from "../format";
import type { Report } from "../report";
import type { Section } from "../section";
import { table_element } from "../table";

export function solution_section(report: Report): Section | null {
  const facts = report.model.solution ?? [];
  if (facts.length === 0) return null;
  return {
    id: "solution",
    title: "The solution",
    group: "Inside",
    lead: "What the solver found, and how exactly.",
    body: () => [table_element({
      columns: ["Quantity", "Value", "Meaning"],
      rows: facts.map((fact) => [
        element("span", { class: "name" }, fact.name),
        element("span", { class: "apart" }, typeof fact.value === "string" ? fact.value : number_text(fact.value, 5)),
        element("span", { class: "soft" }, fact.meaning),
      ]),
    }, "Facts of the solution", { class: "wide" })],
  };
}
