(() => {
  const profiles = JSON.parse(document.getElementById("profiles").textContent);

  // One launch at a time.
  const launches = [...document.querySelectorAll("main.launch")];
  const links = [...document.querySelectorAll(".launches a")];
  const choose = () => {
    const wanted = launches.findIndex((launch) => "#" + launch.id === location.hash);
    const chosen = Math.max(wanted, 0);
    launches.forEach((launch, n) => (launch.hidden = n !== chosen));
    links.forEach((link, n) => link.classList.toggle("on", n === chosen));
  };
  addEventListener("hashchange", choose);
  choose();

  // A line and its instructions.
  const show = (launch, line, fromElsewhere) => {
    for (const row of launch.querySelectorAll(".pane tr.on")) row.classList.remove("on");
    const of = [...launch.querySelectorAll(`tr[data-of="${line}"]`)];
    of.forEach((row) => row.classList.add("on"));
    const own = launch.querySelector(`tr.line[data-line="${line}"]`);
    if (own) own.classList.add("on");
    const into = (row) => {
      const pane = row && row.closest(".pane");
      if (pane) pane.scrollTop = row.offsetTop - pane.clientHeight / 3;
    };
    into(of[0]);
    if (fromElsewhere) {
      into(own);
      launch.querySelector(".code").scrollIntoView({ behavior: "smooth", block: "start" });
    }
  };
  for (const launch of launches) {
    launch.addEventListener("click", (event) => {
      const link = event.target.closest("a[data-line]");
      const row = event.target.closest("tr.line, tr[data-of]");
      if (link) {
        event.preventDefault();
        show(launch, link.dataset.line, true);
      } else if (row) {
        show(launch, row.dataset.line ?? row.dataset.of, false);
      }
    });
    const first = launch.querySelector(".first a[data-line]");
    if (first) show(launch, first.dataset.line, false);
  }

  // What is under the pointer in a time line.
  const tip = document.getElementById("tip");
  const rowHeight = 14, top = 30;
  for (const picture of document.querySelectorAll("svg.time")) {
    const profile = profiles[picture.closest("main").dataset.launch];
    const warps = profile.timeline.warps.filter((warp) => warp.core === Number(picture.dataset.core));
    const columns = picture.viewBox.baseVal.width;
    picture.addEventListener("pointermove", (event) => {
      const box = picture.getBoundingClientRect();
      const column = Math.floor(((event.clientX - box.left) / box.width) * columns);
      const warp = warps[Math.floor((event.clientY - box.top - top) / rowHeight)];
      const interval = profile.timeline.interval;
      let text = `cycle ${(column * interval).toLocaleString("en")}`;
      if (warp) {
        text += `, warp ${warp.warp}`;
        const did = Object.entries(warp.intervals[column] ?? {}).sort((a, b) => b[1] - a[1]);
        for (const [name, cycles] of did) text += `\n${name.replace("_", " ")} ${Math.round((100 * cycles) / interval)} %`;
        if (did.length === 0) text += "\nnot running";
      } else {
        const issued = warps.reduce((sum, warp) => sum + (warp.intervals[column]?.issued ?? 0), 0);
        text += `\n${Math.round((100 * issued) / (interval * profile.device.slices))} % of issue slots used`;
      }
      tip.textContent = text;
      tip.hidden = false;
      tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
      tip.style.top = event.clientY + 16 + "px";
    });
    picture.addEventListener("pointerleave", () => (tip.hidden = true));
  }
})();
