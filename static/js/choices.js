/* The choices about a program that asks: a filter over the folders, and a box that is ticked means "only these". */
const boxes = document.querySelector("[data-boxes]");
const filter = document.querySelector("[data-filter]");

filter?.addEventListener("input", () => {
  const wanted = filter.value.trim().toLowerCase();
  let found = 0;
  for (const item of [...boxes.querySelectorAll("[data-box]")].reverse()) {
    const below = item.querySelector("[data-box]:not([hidden])") !== null;
    const hit = item.dataset.box.toLowerCase().includes(wanted);
    item.hidden = !hit && !below;
    if (!item.hidden) found += 1;
    const details = item.querySelector(":scope > details");
    if (wanted && details && below) details.open = true;
  }
  document.querySelector("[data-none]").hidden = found > 0;
});
filter?.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });

boxes?.addEventListener("change", () => {
  if (boxes.querySelector(":checked")) document.querySelector("[data-chosen]").checked = true;
});
