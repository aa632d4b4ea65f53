(() => {
  const stages = JSON.parse(document.getElementById("stages").textContent);

  const sides = ["before", "after"].map((id) => ({
    choice: document.getElementById(id),
    table: document.getElementById(id + "-lines"),
  }));
  let chosen = null;

  const mark = () => {
    for (const row of document.querySelectorAll("tr[data-at]")) {
      row.classList.toggle("on", chosen !== null && row.dataset.at === chosen);
    }
  };

  // A stage; lines that the other one does not have are marked. Numbers of values change with every pass, so they
  // do not count.
  const plain = (text) => text.replace(/\bv\d+\b/g, "v").trim();
  const draw = () => {
    const [a, b] = sides.map((side) => stages[side.choice.value]);
    sides.forEach((side, n) => {
      const [own, other] = n === 0 ? [a, b] : [b, a];
      const left = new Map();
      for (const [text] of other.lines) left.set(plain(text), (left.get(plain(text)) ?? 0) + 1);
      const comparable = own.language === other.language && own !== other;
      const rows = own.lines.map(([text, at]) => {
        const row = document.createElement("tr");
        const count = left.get(plain(text)) ?? 0;
        if (count > 0) left.set(plain(text), count - 1);
        if (comparable && count === 0) row.className = "changed";
        if (at !== null) row.dataset.at = at;
        const cell = row.insertCell();
        cell.className = "text";
        cell.textContent = text;
        return row;
      });
      side.table.replaceChildren(...rows);
    });
    mark();
  };

  const last = stages.length - 1;
  sides.forEach((side, n) => {
    stages.forEach((stage, index) => {
      const count = stage.lines.length;
      const name = stage.language === "IR" && index > 0 ? `after ${stage.name}` : stage.name;
      side.choice.add(new Option(`${index}. ${name} (${stage.language}, ${count} lines)`, index));
    });
    side.choice.value = n === 0 ? Math.max(last - 2, 0) : last;
    side.choice.addEventListener("change", draw);
  });
  for (const step of document.querySelectorAll("button[data-step]")) {
    step.addEventListener("click", () => {
      const choice = step.parentElement.querySelector("select");
      const next = Number(choice.value) + Number(step.dataset.step);
      choice.value = Math.min(Math.max(next, 0), last);
      draw();
    });
  }
  draw();

  const into = (row) => {
    const pane = row && row.closest(".pane");
    if (pane) pane.scrollTop = row.offsetTop - pane.clientHeight / 3;
  };
  document.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-at]");
    if (!row) return;
    chosen = row.dataset.at;
    mark();
    for (const pane of document.querySelectorAll(".pane")) {
      if (!pane.contains(row)) into(pane.querySelector("tr.on"));
    }
  });
})();
