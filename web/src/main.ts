// Builds the page from the report inside it.
import "./styles/fonts.css";
import "./styles/colors.css";
import "./styles/layout.css";
import "./styles/parts.css";
import "./styles/print.css";
import { element } from "./dom";
import { header_element } from "./header";
import { follow_reader, index_element } from "./index";
import { help_dialog, start_keyboard } from "./keyboard";
import { read_report, type Report } from "./report";
import { section_element, type Section } from "./section";
import { section_makers } from "./sections";
import { start_theme, toggle_theme } from "./theme";

function build(report: Report, page: HTMLElement): void {
  document.title = `${report.title} · Mercer report`;
  const sections = section_makers.map((make) => make(report)).filter((section): section is Section => section !== null);
  const elements = sections.map(section_element);
  const dialog = help_dialog();
  const index = index_element(sections);
  const tools = element(
    "div",
    { class: "page-tools" },
    element("button", { type: "button", class: "quiet", click: toggle_theme }, "Light / dark"),
    element("button", { type: "button", class: "quiet", click: () => dialog.showModal() }, "Keys"),
  );
  const main = element("main", { id: "main", tabindex: -1 }, header_element(report), ...elements,
    element("footer", {}, `Mercer ${report.provenance.version} · ${report.provenance.created}`));
  page.replaceChildren(element("div", { class: "side" }, index, tools), main, dialog);
  start_keyboard(elements, dialog);
  follow_reader(index, elements);
  document.documentElement.dataset["ready"] = "true";
}

function show_empty(page: HTMLElement): void {
  page.replaceChildren(element("main", { id: "main", class: "empty" }, element("h1", {}, "Mercer report"),
    element("p", {}, "This is the template of the report; the command “mercer report” fills it with a model and its data.")));
  document.documentElement.dataset["ready"] = "true";
}

start_theme();
const page = document.getElementById("page");
if (page) {
  const report = read_report(document);
  if (report) build(report, page);
  else show_empty(page);
}
