// The rows that the model hangs upon.
import { element } from "../dom";
import { number_text } from "../format";
import type { Report } from "../report";
import type { Section } from "../section";
import { table_element } from "../table";

export function influence_section(report: Report): Section | null {
  const influence = report.influence;
  if (!influence || influence.points.length === 0) return null;
  const most = Math.max(...influence.points.map((point) => Math.abs(point.influence))) || 1;
  return {
    id: "influence",
    title: "Most influential rows",
    group: "What it learnt",
    lead: `The training rows that the model hangs upon most: look here first for wrong labels and slips of measurement. ${influence.how}`,
    body: () => [table_element({
      columns: ["Row", "Label", "Predicted", "Influence", "Note"],
      rows: influence.points.map((point) => {
        const bar = element("span", { class: "bar-cell", "aria-hidden": "true" });
        bar.style.width = `${(6 * Math.abs(point.influence)) / most}rem`;
        const wrong = point.label !== point.predicted && report.model.task === "classification";
        return [point.row, point.label, wrong ? element("span", { class: "tag worse" }, point.predicted) : point.predicted,
          element("span", {}, bar, number_text(point.influence, 3)), element("span", { class: "soft" }, point.note)];
      }),
    }, "Most influential rows", { class: "wide" })],
  };
}
