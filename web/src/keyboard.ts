// Moving through the report by keys, and the list of those keys.
import { element } from "./dom";
import { toggle_theme } from "./theme";

const keys: [key: string, meaning: string][] = [
  ["j", "next section"],
  ["k", "previous section"],
  ["Home", "top of the report"],
  ["t", "light or dark"],
  ["?", "this list"],
  ["Esc", "close this list"],
];

export function help_dialog(): HTMLDialogElement {
  const dialog = element(
    "dialog",
    { id: "help", "aria-labelledby": "help-title" },
    element("h2", { id: "help-title" }, "Keys"),
    element("dl", {}, ...keys.flatMap(([key, meaning]) => [
      element("dt", {}, element("kbd", {}, key)),
      element("dd", {}, meaning),
    ])),
    element("form", { method: "dialog" }, element("button", {}, "Close")),
  );
  return dialog;
}

export function start_keyboard(sections: HTMLElement[], dialog: HTMLDialogElement): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    const target = event.target as HTMLElement | null;
    if (target?.closest("input, select, textarea")) return;
    if (event.key === "j") go(sections, 1);
    else if (event.key === "k") go(sections, -1);
    else if (event.key === "t") toggle_theme();
    else if (event.key === "?") dialog.showModal();
    else return;
    event.preventDefault();
  });
}

// The section that is being read is the one that holds the focus, else the last whose top has passed a fifth of the
// window.
function go(sections: HTMLElement[], step: 1 | -1): void {
  const focused = sections.findIndex((section) => section === document.activeElement);
  let current = focused;
  if (focused < 0) {
    const line = window.innerHeight / 5;
    current = sections.reduce((last, section, i) => (section.getBoundingClientRect().top < line ? i : last), -1);
  }
  const next = sections[Math.min(sections.length - 1, Math.max(0, current + step))];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "start" });
}
