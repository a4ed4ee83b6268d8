/* Runs before first paint: puts the chosen scheme on the root, and tells the styles that script is there. */
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const chosen = localStorage.getItem("baton.theme");
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  } catch { /* storage may be refused; the system's scheme then stands */ }
})();
