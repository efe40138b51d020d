// The model: kernel with the meaning of its parameters, options with those that were changed first.
import { element } from "../dom";
import { list_text, plural } from "../format";
import type { Report } from "../report";
import type { Section } from "../section";
import { table_element } from "../table";

export function model_section(report: Report): Section | null {
  const { model } = report;
  const options = [...(model.options ?? [])].sort((a, b) => Number(a.is_default) - Number(b.is_default));
  const changed = options.filter((option) => !option.is_default).length;
  return {
    id: "model",
    title: model.kernel ? "Model and kernel" : "Model",
    group: "Inside",
    lead: `What was asked for and what it came to: ${model.kernel ? "the kernel with its parameters resolved, and " : ""}${plural(options.length, "option")}` +
      `${options.length > 0 ? `, ${changed === 0 ? "all at their defaults" : `${changed} of them changed (first in the list)`}` : ""}.`,
    body: () => {
      const facts: [string, Node | string][] = [["Model", model.name]];
      if (model.kernel) facts.push(["Kernel", element("code", {}, model.kernel)]);
      if (model.requested_kernel && model.requested_kernel !== model.kernel) facts.push(["Asked for", element("code", {}, model.requested_kernel)]);
      facts.push(["Scaling", model.scaling]);
      if (model.classes && model.classes.length > 0) facts.push(["Classes", listed(model.classes)]);
      if (model.outputs && model.outputs.length > 0) facts.push([model.outputs.length > 1 ? "Outputs" : "Output", listed(model.outputs)]);
      if (report.data?.names && report.data.names.length > 0) facts.push(["Columns", listed(report.data.names)]);
      const parts: Node[] = [element("dl", { class: "facts" }, ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]))];
      if (model.kernel_facts.length > 0) {
        parts.push(element("h3", {}, "Kernel parameters"), table_element({
          columns: ["Parameter", "Value", "Meaning"],
          rows: model.kernel_facts.map((fact) => [element("code", {}, fact.name), fact.value, element("span", { class: "soft" }, fact.meaning)]),
        }, "Kernel parameters", { class: "wide" }));
      }
      if (options.length > 0) {
        parts.push(element("h3", {}, "Options"), table_element({
          columns: ["Option", "Value", "", "Meaning"],
          rows: options.map((option) => [element("code", {}, option.name), option.value,
            option.is_default ? element("span", { class: "tag" }, "default") : element("span", { class: "tag chosen" }, "changed"),
            element("span", { class: "soft" }, option.meaning)]),
        }, "Options", { class: "wide" }));
      }
      return parts;
    },
  };
}

function listed(names: string[]): string {
  const most = 24;
  return names.length <= most ? list_text(names) : `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}
