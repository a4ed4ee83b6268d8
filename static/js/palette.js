/* Ctrl-K: go to a place, or do what this page offers. The list from the server is ordinary links. */
const dialog = document.getElementById("palette");
if (dialog) {
  const input = dialog.querySelector("input");
  const list = dialog.querySelector("[data-palette-list]");
  const places = dialog.querySelector("[data-palette-places]");
  const actions = dialog.querySelector("[data-palette-actions]");
  const nothing = dialog.querySelector("[data-palette-empty]");
  let asked = 0;
  let wait;

  const options = () => [...list.querySelectorAll("a")].filter((a) => !a.hidden);
  const select = (index) => {
    const all = options();
    for (const option of list.querySelectorAll("a")) option.setAttribute("aria-selected", "false");
    const chosen = all[(index + all.length) % all.length];
    if (!chosen) return input.removeAttribute("aria-activedescendant");
    chosen.setAttribute("aria-selected", "true");
    chosen.id ||= `option-${Math.random().toString(36).slice(2)}`;
    input.setAttribute("aria-activedescendant", chosen.id);
    chosen.scrollIntoView({ block: "nearest" });
  };
  const current = () => options().findIndex((a) => a.getAttribute("aria-selected") === "true");
  const filterActions = (query) => {
    for (const action of actions.querySelectorAll("a"))
      action.hidden = !action.textContent.toLowerCase().includes(query);
    actions.hidden = !actions.querySelector("a:not([hidden])");
  };
  const ask = async (query) => {
    const mine = ++asked;
    filterActions(query.toLowerCase());
    select(0);
    try {
      const answer = await fetch(`${dialog.dataset.source}?q=${encodeURIComponent(query)}`, { headers: { "HX-Request": "true" } });
      if (mine !== asked || !answer.ok) return;
      places.innerHTML = await answer.text();
    } catch { return; }
    nothing.hidden = options().length > 0;
    select(0);
  };
  const open = () => {
    if (dialog.open) return dialog.close();
    actions.querySelectorAll("[data-from-page]").forEach((a) => a.remove());
    for (const source of document.querySelectorAll("[data-palette]")) {
      const link = document.createElement("a");
      link.href = source.href ?? "#";
      link.role = "option";
      link.tabIndex = -1;
      link.dataset.fromPage = "";
      const icon = source.querySelector("svg")?.cloneNode(true);
      if (icon) link.append(icon);
      link.append(source.dataset.palette || source.textContent.trim());
      if (source.dataset.key) { const small = document.createElement("small"); const k = document.createElement("kbd"); k.textContent = source.dataset.key; small.append(k); link.append(small); }
      link.addEventListener("click", (event) => { event.preventDefault(); dialog.close(); source.click(); });
      actions.querySelector("div").prepend(link);
    }
    input.value = "";
    dialog.showModal();
    ask("");
  };

  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      open();
    }
  });
  for (const opener of document.querySelectorAll("[data-open-palette]")) opener.addEventListener("click", open);
  input.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(() => ask(input.value.trim()), 90); });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") select(current() + 1);
    else if (event.key === "ArrowUp") select(current() - 1);
    else if (event.key === "Enter") {
      const chosen = options()[current()];
      if (chosen) chosen.click();
      else location.href = `${dialog.dataset.search}?q=${encodeURIComponent(input.value)}`;
    } else return;
    event.preventDefault();
  });
}
