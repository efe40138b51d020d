// A part of the page: a heading, one sentence that says what is seen and how to read it, and what is seen.
import { element } from "./dom";
import type { Report, Thinned } from "./report";
import { count_text } from "./format";

export const groups = ["How well", "What it learnt", "How it was chosen", "Inside", "Record"] as const;
export type Group = (typeof groups)[number];

export interface Section {
  id: string;
  title: string;
  group: Group;
  lead: string;
  body: () => Node[];
}

// Null where the report has nothing for it.
export type SectionMaker = (report: Report) => Section | null;

export function section_element(section: Section): HTMLElement {
  const parts: Node[] = [];
  try {
    parts.push(...section.body());
  } catch (error) {
    // One part that cannot be drawn must not take the others with it.
    console.error(`section ${section.id}`, error);
    parts.push(element("p", { class: "notice" }, "This part could not be drawn; its numbers are in the file as JSON."));
  }
  return element(
    "section",
    { id: section.id, tabindex: -1, "aria-labelledby": `${section.id}-title` },
    element("h2", { id: `${section.id}-title` }, section.title),
    element("p", { class: "lead" }, section.lead),
    ...parts,
  );
}

export function thinned_note(thinned: Thinned | undefined): string {
  if (!thinned || thinned.shown >= thinned.of) return "";
  return ` ${count_text(thinned.shown)} of ${count_text(thinned.of)} rows are drawn, chosen at random.`;
}
