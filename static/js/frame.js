/* What every page has: scheme switch, menus, copying, toasts, drawers, keys. */
const root = document.documentElement;
const store = {
  get(key) { try { return localStorage.getItem(key); } catch { return null; } },
  set(key, value) { try { value === null ? localStorage.removeItem(key) : localStorage.setItem(key, value); } catch { /* refused */ } },
};

/* windows that are open know by this that somebody signed in or out in another one */
store.set("baton.person", document.body.dataset.person ?? "");

/* scheme */
const showScheme = () => {
  const now = root.dataset.theme ?? "system";
  for (const button of document.querySelectorAll("[data-scheme]"))
    button.setAttribute("aria-pressed", String(button.dataset.scheme === now));
};
showScheme();

/* ages stay true while a page is open */
const ago = (seconds) => {
  for (const [unit, size] of [["y", 31557600], ["mo", 2629800], ["d", 86400], ["h", 3600], ["min", 60]])
    if (seconds >= size) return `${Math.floor(seconds / size)} ${unit} ago`;
  return "just now";
};
const refreshAges = () => {
  for (const time of document.querySelectorAll("time.age[datetime]")) {
    const seconds = (Date.now() - Date.parse(time.dateTime)) / 1000;
    if (seconds >= 0) time.textContent = ago(seconds);
  }
};
setInterval(refreshAges, 30000);

/* copying */
const copied = (element) => {
  element.dataset.copied = "";
  say(element.dataset.said ?? "Copied");
  setTimeout(() => delete element.dataset.copied, 1600);
};
const copy = async (element) => {
  const text = element.dataset.copy;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "visually-hidden";
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  copied(element);
};
const live = document.querySelector("[data-live]");
const say = (text) => { if (live) live.textContent = text; };

document.addEventListener("click", (event) => {
  const scheme = event.target.closest("[data-scheme]");
  if (scheme) {
    const value = scheme.dataset.scheme;
    if (value === "system") delete root.dataset.theme; else root.dataset.theme = value;
    store.set("baton.theme", value === "system" ? null : value);
    showScheme();
    return;
  }
  const copier = event.target.closest("[data-copy]");
  if (copier && !event.metaKey && !event.ctrlKey && !event.shiftKey) {
    event.preventDefault();
    copy(copier);
    return;
  }
  const opener = event.target.closest("[data-dialog]");
  if (opener) document.getElementById(opener.dataset.dialog)?.showModal();
  if (event.target.closest("[data-dismiss]")) event.target.closest("[data-dismissable]")?.remove();
  if (event.target instanceof HTMLDialogElement) event.target.close();
  for (const menu of document.querySelectorAll("details.menu[open]"))
    if (!menu.contains(event.target)) menu.open = false;
});

/* an open menu closes on Escape and gives focus back */
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = event.target.closest?.("details.menu[open]");
  if (menu) { menu.open = false; menu.querySelector("summary").focus(); }
});

/* tree: which folders are open is remembered in this browser */
const tree = document.getElementById("tree");
if (tree) {
  let open;
  try { open = new Set(JSON.parse(store.get("baton.tree") ?? "[]")); } catch { open = new Set(); }
  for (const details of tree.querySelectorAll("details[data-folder]"))
    if (open.has(details.dataset.folder)) details.open = true;
  tree.addEventListener("toggle", (event) => {
    const folder = event.target.dataset?.folder;
    if (!folder) return;
    event.target.open ? open.add(folder) : open.delete(folder);
    store.set("baton.tree", JSON.stringify([...open].slice(-400)));
  }, true);
  tree.addEventListener("keydown", (event) => {
    const links = [...tree.querySelectorAll("a")].filter((a) => a.checkVisibility());
    const at = links.indexOf(document.activeElement);
    const details = document.activeElement.parentElement?.querySelector(":scope > details");
    if (event.key === "ArrowDown") links[at + 1]?.focus();
    else if (event.key === "ArrowUp") links[at - 1]?.focus();
    else if (event.key === "ArrowRight" && details) details.open = true;
    else if (event.key === "ArrowLeft" && details?.open) details.open = false;
    else if (event.key === "ArrowLeft") document.activeElement.closest("ul")?.closest(".node")?.querySelector("a")?.focus();
    else return;
    event.preventDefault();
  });
  tree.querySelector("[aria-current=page]")?.scrollIntoView({ block: "nearest" });
}

/* toasts leave by themselves, errors stay */
for (const toast of document.querySelectorAll(".toast:not(.toast-error, .toast-warning)"))
  setTimeout(() => { if (!toast.matches(":hover, :focus-within")) toast.remove(); }, 6000);

/* what cannot be taken back is asked about first */
const ask = (form, button) => {
  const dialog = document.getElementById("confirm");
  dialog.querySelector("[data-confirm-words]").textContent = form.dataset.confirm;
  dialog.querySelector("[data-confirm-yes]").textContent = button?.textContent.trim() || "Yes";
  dialog.returnValue = "no";
  dialog.addEventListener("close", () => {
    if (dialog.returnValue !== "yes") return;
    form.dataset.confirmed = "1";
    form.requestSubmit(button);
  }, { once: true });
  dialog.showModal();
};

/* a form is sent once: a double click is not a second write */
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  if (form.dataset.confirm && !form.dataset.confirmed) {
    event.preventDefault();
    ask(form, event.submitter);
    return;
  }
  if (form.dataset.sent) { event.preventDefault(); return; }
  form.dataset.sent = "1";
  setTimeout(() => delete form.dataset.sent, 4000);
});
addEventListener("pageshow", () => { for (const form of document.forms) delete form.dataset.sent; });
for (const select of document.querySelectorAll("[data-submit-on-change]"))
  select.addEventListener("change", () => select.form.requestSubmit());

/* keys */
const typing = (target) => target.closest?.("input, textarea, select, [contenteditable]");
const items = () => [...document.querySelectorAll("[data-item]")].filter((item) => item.checkVisibility());
const step = (by) => {
  const list = items();
  if (!list.length) return;
  const now = list.findIndex((item) => item.hasAttribute("data-selected"));
  list[now]?.removeAttribute("data-selected");
  const next = list[Math.min(list.length - 1, Math.max(0, now + by))];
  next.setAttribute("data-selected", "");
  (next.querySelector("[data-item-link], a") ?? next).focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
};
const press = (key) => {
  const link = document.querySelector(`[data-key="${key}"]`);
  link?.click();
  return Boolean(link);
};
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || typing(event.target) || document.querySelector("dialog[open]")) return;
  const done = {
    "/": () => { const box = document.querySelector("[data-search]"); box?.focus(); box?.select(); return true; },
    "?": () => { document.getElementById("keys")?.showModal(); return true; },
    j: () => { step(1); return true; },
    k: () => { step(-1); return true; },
  }[event.key] ?? (() => /^[a-z\[\]]$/.test(event.key) && press(event.key));
  if (done()) event.preventDefault();
});
