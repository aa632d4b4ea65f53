"use strict";
(() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const setTheme = (theme) => {
    root.dataset.theme = theme;
    button.textContent = theme === "dark" ? "light" : "dark";
  };
  button.hidden = false;
  setTheme(location.hash === "#dark" || (prefersDark && location.hash !== "#light") ? "dark" : "light");
  button.addEventListener("click", () => setTheme(root.dataset.theme === "dark" ? "light" : "dark"));
})();
