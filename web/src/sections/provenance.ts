// What is needed to make this report again.
import { copy_button, element } from "../dom";
import type { Report } from "../report";
import type { Section } from "../section";

export function provenance_section(report: Report): Section | null {
  const { provenance, data } = report;
  const facts: [string, string | undefined][] = [
    ["Command", provenance.command],
    ["Specification", provenance.spec],
    ["Seed", String(provenance.seed)],
    ["Version", provenance.version],
    ["Created", provenance.created],
    ["Data", data?.file],
    ["Hash of the data", provenance.data_hash],
    ["Hash of the model", provenance.model_hash],
  ];
  const there = facts.filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== "");
  const text = () => there.map(([name, value]) => `${name}: ${value}`).join("\n") + "\n";
  return {
    id: "provenance",
    title: "Provenance",
    group: "Record",
    lead: "The same specification, seed, version and data give the same model, to the last bit.",
    body: () => [
      element("dl", { class: "facts" }, ...there.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, element("code", {}, value))])),
      copy_button("Copy all", text),
    ],
  };
}
