(() => {
  // A click on a column's head sorts by it, another one the other way round.
  for (const table of document.querySelectorAll(".points table")) {
    const body = table.tBodies[0];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      head.addEventListener("click", () => {
        const down = head.dataset.order === "up";
        for (const other of table.tHead.rows[0].cells) delete other.dataset.order;
        head.dataset.order = down ? "down" : "up";
        const key = (row) => row.cells[column].dataset.n ?? row.cells[column].textContent;
        const rows = [...body.rows].sort((a, b) =>
          key(a).localeCompare(key(b), "en", { numeric: true }) * (down ? -1 : 1));
        body.append(...rows);
      });
    });
  }
})();
