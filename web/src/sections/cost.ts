// Time and memory.
import * as Plot from "@observablehq/plot";
import { draw_plot, name_margin, shortened, tip_look, x_axis } from "../charts/plot";
import { figure_element } from "../figure";
import { bytes_text, percent_text, seconds_text } from "../format";
import type { Cost, Report } from "../report";
import type { Section } from "../section";

export function cost_section(report: Report): Section | null {
  const cost = report.cost;
  if (!cost) return null;
  return {
    id: "cost",
    title: "Time and memory",
    group: "Record",
    lead: lead(cost),
    body: () => (cost.phases.length > 0 ? [figure_element({
      title: "Seconds by phase",
      widest: 760,
      numbers: () => ({ columns: ["phase", "seconds"], rows: cost.phases.map((phase) => [phase.name, phase.seconds]) }),
      draw: (width) => {
        const rows = cost.phases.map((phase) => ({ ...phase, short: shortened(phase.name, width) }));
        return draw_plot({
          width, height: 58 + 24 * rows.length, marginTop: 6, marginRight: 70, marginLeft: name_margin(rows.map((row) => row.short), width),
          x: x_axis("seconds", { ticks: Math.max(3, width / 110) }),
          y: { label: null, tickSize: 0, domain: rows.map((row) => row.name), tickFormat: (name: string) => shortened(name, width) },
          marks: [
            Plot.barX(rows, { x: "seconds", y: "name", fill: "var(--class-0)", fillOpacity: 0.85, insetTop: 3, insetBottom: 3, tip: tip_look,
              title: (row: (typeof rows)[number]) => `${row.name}\n${seconds_text(row.seconds)}, ${percent_text(row.seconds / cost.seconds)} of the whole` }),
            Plot.text(rows, { x: "seconds", y: "name", dx: 6, textAnchor: "start", fill: "var(--ink)", text: (row: (typeof rows)[number]) => seconds_text(row.seconds) }),
          ],
        }, { name: "Seconds by phase", description: rows.map((row) => `${row.name} ${seconds_text(row.seconds)}`).join(", ") });
      },
    })] : []),
  };
}

function lead(cost: Cost): string {
  const parts = [`The whole took ${seconds_text(cost.seconds)}`];
  if (cost.peak_memory_mb !== null) parts.push(`at most ${bytes_text(cost.peak_memory_mb * 1e6)} of memory were in use`);
  if (cost.model_bytes) parts.push(`the model takes ${bytes_text(cost.model_bytes)} on disk`);
  return `${parts.join("; ")}.`;
}
