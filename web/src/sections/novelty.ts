// One-class models: the scores, the threshold, what is flagged.
import { draw_histogram, histogram_table, marked_line, type Series } from "../charts/histogram";
import { legend_element } from "../chips";
import { figure_element } from "../figure";
import { count_text, fixed_text, number_text, percent_text } from "../format";
import type { Novelty, Report } from "../report";
import type { Section } from "../section";
import { single_roc } from "./ranking";

export function novelty_section(report: Report): Section | null {
  const novelty = report.novelty;
  if (!novelty) return null;
  const { edges } = novelty.scores;
  return {
    id: "novelty",
    title: "Novelty scores",
    group: "How well",
    lead: `${count_text(novelty.flagged)} of ${count_text(novelty.total)} rows (${percent_text(novelty.flagged / novelty.total)}) fall beyond the threshold ` +
      `${number_text(novelty.threshold)} and are flagged as unlike the training data` +
      `${novelty.roc?.auc != null ? `; by the labels in the data the score tells new from usual rows with an area under ROC of ${fixed_text(novelty.roc.auc, 3)}` : ""}.`,
    body: () => {
      const series = two_sides(novelty);
      return [
        legend_element(series.map(({ name, color, counts }) => ({ name, color, note: count_text(counts.reduce((a, b) => a + b, 0)) }))),
        figure_element({
          title: "Histogram of the score",
          numbers: () => histogram_table(edges, series),
          draw: (width) => draw_histogram({ name: "Histogram of novelty scores", x_name: "score", edges, series, marks: marked_line(novelty.threshold, "threshold") },
            width, Math.min(340, Math.max(240, Math.round(0.42 * width)))),
        }),
        ...(novelty.roc && novelty.roc.fpr.length > 0 ? [single_roc(novelty.roc.fpr, novelty.roc.tpr)] : []),
      ];
    },
  };
}

// Bins by the side of the threshold. Which side is flagged shows in the number of rows on it.
function two_sides({ scores, threshold, flagged }: Novelty): Series[] {
  const centre = (bin: number) => ((scores.edges[bin] ?? 0) + (scores.edges[bin + 1] ?? 0)) / 2;
  const below = scores.counts.map((count, bin) => (centre(bin) < threshold ? count : 0));
  const above = scores.counts.map((count, bin) => (centre(bin) < threshold ? 0 : count));
  const total = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0);
  const flagged_below = Math.abs(total(below) - flagged) <= Math.abs(total(above) - flagged);
  return [
    { name: "flagged", color: "var(--class-1)", counts: flagged_below ? below : above },
    { name: "usual", color: "var(--class-0)", counts: flagged_below ? above : below },
  ];
}
