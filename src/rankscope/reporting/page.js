"use strict";
// The page is complete without this. It lets tables be sorted by their headings, folds the contents on a
// phone, opens the appendix for a link to it, and opens what is folded for paper.

for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  const headings = [...table.tHead.rows[0].cells];
  if (original.length < 2) continue;

  headings.forEach((heading, column) => {
    if (heading.querySelector("bdi") === null) return; // no button where no name is seen
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const before = heading.getAttribute("aria-sort");
      const first = heading.classList.contains("t") ? "ascending" : "descending";
      const second = first === "ascending" ? "descending" : "ascending";
      const now = before === null ? first : before === first ? second : null;
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      if (now !== null) heading.setAttribute("aria-sort", now);
      body.append(...(now === null ? original : sorted(original, column, now)));
    });
  });
}

function sorted(rows, column, direction) {
  const text = (row) => row.cells[column].querySelector("bdi").textContent.trim();
  const keys = new Map(rows.map((row) => [row, key(text(row))]));
  const sign = direction === "ascending" ? 1 : -1;
  return [...rows].sort((a, b) => {
    const [x, y] = [keys.get(a), keys.get(b)];
    // What has no value comes last, whichever the direction.
    if (x === null || y === null) return (x === null) - (y === null);
    if (typeof x === "number" && typeof y === "number") return sign * (x - y);
    return sign * String(x).localeCompare(String(y), "en", { numeric: true });
  });
}

// Numbers as people write them: "-.041", "1,250", "< .001", "12%"; of an interval its lower end.
function key(text) {
  if (text === "" || text === "-" || text === "–") return null;
  const plain = text.replace(/^[\[(]/, "").replace(/−/g, "-").replace(/(\d),(?=\d{3})/g, "$1");
  const found = /^([<>≤≥]?)\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(%|$|[,;:\s±])/i.exec(plain);
  if (!found) return text;
  const below = found[1] === "<" ? -1e-12 : found[1] === ">" ? 1e-12 : 0;
  return Number(found[2]) + below;
}

// On a phone the contents would push the results off the screen.
const contents = document.querySelector("nav details");
const phone = matchMedia("(max-width: 40rem)");
const fold = () => { if (contents !== null) contents.open = !phone.matches; };
phone.addEventListener("change", fold);
fold();

// A link into the folded appendix opens it.
const reveal = () => {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (!target) return;
  for (let fold = target.closest("main details"); fold; fold = fold.parentElement.closest("main details")) fold.open = true;
  if (target.id === "appendix") target.parentElement.querySelector("details").open = true;
};
addEventListener("hashchange", reveal);
reveal();

// Browsers that cannot open folds by the style sheet alone do it here, and close them again.
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  opened.forEach((fold) => { fold.open = true; });
});
addEventListener("afterprint", () => opened.forEach((fold) => { fold.open = false; }));
