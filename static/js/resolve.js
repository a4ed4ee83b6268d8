/* Resolution page: progress, keys 1-4 on the hunk in focus, and a preview of what would be saved. */
const form = document.querySelector("[data-resolve]");
if (form) {
  const hunks = [...form.querySelectorAll(".hunk")];
  const meter = form.querySelector("progress");
  const words = form.querySelector("[data-progress]");
  const save = form.querySelector("[data-save]");
  const decided = (hunk) => hunk.querySelector("input[type=radio]:checked");
  const progress = () => {
    const done = hunks.filter(decided).length;
    meter.value = done;
    words.textContent = done === hunks.length ? "All decided" : `${done} of ${hunks.length} decided`;
    save.setAttribute("aria-disabled", String(done < hunks.length));
  };
  const next = (from, by = 1) => {
    const hunk = hunks[hunks.indexOf(from) + by];
    if (!hunk) return save.focus();
    hunk.scrollIntoView({ block: "start" });
    (decided(hunk) ?? hunk.querySelector("input[type=radio]")).focus({ preventScroll: true });
  };
  form.addEventListener("change", (event) => {
    progress();
    if (event.target.value === "text") event.target.closest(".hunk").querySelector("textarea")?.focus();
  });
  form.addEventListener("keydown", (event) => {
    if (event.target.matches("textarea, [type=text]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const hunk = event.target.closest(".hunk") ?? hunks[0];
    const choice = { 1: "mine", 2: "theirs", 3: "both", 4: "base" }[event.key];
    if (choice) {
      const radio = hunk.querySelector(`input[value=${choice}]`);
      if (radio) { radio.checked = true; progress(); next(hunk); }
    } else if (event.key === "n" || event.key === "]") next(hunk);
    else if (event.key === "p" || event.key === "[") next(hunk, -1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  save.addEventListener("click", (event) => {
    const open = hunks.find((hunk) => !decided(hunk));
    if (open) { event.preventDefault(); next(open, 0); }
  });
  progress();
}
