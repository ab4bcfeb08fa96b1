"use strict";
// A click on the head of a column sorts its table: numbers with the largest first, words from A to Z; again, the other way.
const words = new Intl.Collator("en", { numeric: true });
const valueOf = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent;
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const isNumber = head.classList.contains("number");
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      const first = isNumber ? "descending" : "ascending";
      const other = isNumber ? "ascending" : "descending";
      const order = now === first ? other : first;
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const compare = (a, b) => isNumber ? Number(a) - Number(b) : words.compare(a, b);
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => sign * compare(valueOf(a, column), valueOf(b, column)));
      table.tBodies[0].append(...rows);
      head.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
  });
}
