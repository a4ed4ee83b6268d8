/* Two columns do not fit a phone: it gets the inline form unless it asked for the other one. */
if (document.querySelector("[data-diff]") && matchMedia("(max-width: 40rem)").matches) {
  const address = new URL(location.href);
  if (!address.searchParams.has("view")) {
    address.searchParams.set("view", "inline");
    location.replace(address);
  }
}
/* On a phone the tab of this page may lie beyond the edge. */
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
/* Next and previous change, by keys j and k (or n and p) or by the buttons. */
const changes = [...document.querySelectorAll("[data-change]")];
if (changes.length) {
  let at = -1;
  const go = (by) => {
    at = Math.min(changes.length - 1, Math.max(0, at + by));
    changes[at].focus({ preventScroll: true });
    changes[at].scrollIntoView({ block: "center" });
    const words = document.querySelector("[data-change-words]");
    if (words) words.textContent = `${at + 1} of ${changes.length}`;
  };
  document.addEventListener("keydown", (event) => {
    if (event.target.closest?.("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "j" || event.key === "n") go(1); else if (event.key === "k" || event.key === "p") go(-1); else return;
    event.preventDefault();
  });
  document.querySelector("[data-next-change]")?.addEventListener("click", () => go(1));
  document.querySelector("[data-previous-change]")?.addEventListener("click", () => go(-1));
}
/* two radios pick the ends of a comparison */
const compare = document.querySelector("[data-compare]");
if (compare) {
  const button = compare.querySelector("[data-compare-button]");
  const show = () => {
    const [from, to] = ["from", "to"].map((name) => compare.querySelector(`[name=${name}]:checked`)?.value);
    if (button) button.disabled = !from || !to || from === to;
  };
  compare.addEventListener("change", show);
  show();
}
