// The index of sections, which follows the reader.
import { element } from "./dom";
import { groups, type Section } from "./section";

export function index_element(sections: Section[]): HTMLElement {
  const parts = groups.flatMap((group) => {
    const members = sections.filter((section) => section.group === group);
    if (members.length === 0) return [];
    const links = members.map((section) => element("li", {}, element("a", { href: `#${section.id}` }, section.title)));
    return [element("li", { class: "group" }, element("span", {}, group), element("ul", {}, ...links))];
  });
  return element("nav", { "aria-label": "Sections" }, element("ul", {}, ...parts));
}

export function follow_reader(index: HTMLElement, sections: HTMLElement[]): void {
  const links = new Map([...index.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
  let waiting = false;
  const mark = () => {
    waiting = false;
    const line = window.innerHeight / 3;
    const at_end = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 4;
    let current = sections[0];
    for (const section of sections) if (section.getBoundingClientRect().top < line) current = section;
    if (at_end && window.scrollY > 0) current = sections[sections.length - 1];
    for (const [id, link] of links) {
      if (id !== current?.id) link.removeAttribute("aria-current");
      else if (!link.hasAttribute("aria-current")) {
        link.setAttribute("aria-current", "true");
        keep_in_view(index, link);
      }
    }
  };
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(mark);
  };
  window.addEventListener("scroll", later, { passive: true });
  window.addEventListener("resize", later);
  mark();
}

// Scrolls the index alone: scrollIntoView would move the page as well.
function keep_in_view(index: HTMLElement, link: HTMLElement): void {
  const box = index.getBoundingClientRect();
  const place = link.getBoundingClientRect();
  if (place.left < box.left || place.right > box.right) index.scrollLeft += place.left - box.left - 24;
  if (place.top < box.top || place.bottom > box.bottom) index.scrollTop += place.top - box.top - box.height / 2;
}
