/* The editor: painted Markdown, keys and toolbar, side preview. What is not saved yet is in drafting.js. */
const form = document.querySelector("[data-editor]");
if (form) {
  const area = form.querySelector("textarea[name=content]");
  const editor = form.querySelector(".editor");
  const paint = form.querySelector("pre");
  const preview = form.querySelector("[data-preview]");

  /* painting: same text, coloured; the textarea above it stays the one that is edited */
  const escape = (text) => text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);
  const inline = (text) => escape(text)
    .replace(/(`+)([^`]|[^`].*?[^`])\1(?!`)/g, '<span class="md-code">$&</span>')
    .replace(/!?\[[^\]\n]*\]\([^)\n]*\)/g, '<span class="md-link">$&</span>')
    .replace(/(\*\*|__)(?=\S)(.+?)(?<=\S)\1/g, '<span class="md-mark">$1</span>$2<span class="md-mark">$1</span>');
  const colour = (text) => {
    let fence = "";
    return text.split("\n").map((line) => {
      const mark = /^ {0,3}(```+|~~~+)/.exec(line)?.[1];
      if (fence) {
        if (mark?.startsWith(fence)) fence = "";
        return `<span class="md-code">${escape(line)}</span>`;
      }
      if (mark) { fence = mark; return `<span class="md-code">${escape(line)}</span>`; }
      if (/^#{1,6}\s/.test(line)) return `<span class="md-heading">${escape(line)}</span>`;
      if (/^\s*>/.test(line)) return `<span class="md-quote">${escape(line)}</span>`;
      const item = /^(\s*(?:[-*+]|\d+[.)])\s(?:\[[ xX]\]\s)?)(.*)$/.exec(line);
      if (item) return `<span class="md-mark">${escape(item[1])}</span>${inline(item[2])}`;
      return inline(line);
    }).join("\n");
  };
  const LIMIT = 60000; // beyond this many characters plain text is quicker to type in
  const repaint = () => {
    const small = area.value.length <= LIMIT;
    area.parentElement.classList.toggle("is-painted", small);
    paint.hidden = !small;
    if (small) { paint.innerHTML = `${colour(area.value)}\n`; paint.scrollTop = area.scrollTop; }
  };
  area.addEventListener("scroll", () => { paint.scrollTop = area.scrollTop; }, { passive: true });
  repaint();

  area.addEventListener("input", repaint);

  /* keys and toolbar */
  const insert = (text, from, to) => {
    area.focus();
    area.setSelectionRange(from, to);
    // execCommand keeps the browser's undo stack; setRangeText would break it.
    if (!document.execCommand("insertText", false, text)) {
      area.setRangeText(text, from, to, "end");
      area.dispatchEvent(new Event("input", { bubbles: true }));
    }
  };
  const wrap = (before, after = before, blank = "text") => {
    const { selectionStart: from, selectionEnd: to, value } = area;
    const chosen = value.slice(from, to);
    if (chosen.startsWith(before) && chosen.endsWith(after) && chosen.length > before.length + after.length) {
      insert(chosen.slice(before.length, -after.length), from, to);
      return;
    }
    insert(before + (chosen || blank) + after, from, to);
    area.setSelectionRange(from + before.length, from + before.length + (chosen || blank).length);
  };
  const prefix = (mark) => {
    const { selectionStart, selectionEnd, value } = area;
    const from = value.lastIndexOf("\n", selectionStart - 1) + 1;
    const end = value.indexOf("\n", selectionEnd);
    const to = end < 0 ? value.length : end;
    const lines = value.slice(from, to).split("\n");
    const marks = lines.map((_, i) => (mark === "1. " ? `${i + 1}. ` : mark));
    const all = lines.every((line, i) => line.startsWith(marks[i]));
    insert(lines.map((line, i) => (all ? line.slice(marks[i].length) : marks[i] + line)).join("\n"), from, to);
  };
  const commands = {
    bold: () => wrap("**"), italic: () => wrap("*"), code: () => wrap("`"), link: () => wrap("[", "](https://)"),
    heading: () => prefix("## "), quote: () => prefix("> "), list: () => prefix("- "), ordered: () => prefix("1. "), task: () => prefix("- [ ] "),
    table: () => insert("\n| Column | Column |\n| --- | --- |\n|  |  |\n", area.selectionEnd, area.selectionEnd),
  };
  form.addEventListener("click", (event) => {
    const command = event.target.closest("[data-command]");
    if (command) commands[command.dataset.command]();
    const view = event.target.closest("[data-view-as]");
    if (view) show(view.dataset.viewAs);
  });
  area.addEventListener("keydown", (event) => {
    const mod = event.ctrlKey || event.metaKey;
    if (mod && (event.key === "s" || event.key === "Enter")) { event.preventDefault(); form.requestSubmit(form.querySelector("[data-save]")); return; }
    if (mod && { b: 1, i: 1, e: 1 }[event.key]) { event.preventDefault(); commands[{ b: "bold", i: "italic", e: "code" }[event.key]](); return; }
    if (event.key === "Enter" && !mod && !event.shiftKey && area.selectionStart === area.selectionEnd) {
      const from = area.value.lastIndexOf("\n", area.selectionStart - 1) + 1;
      const line = area.value.slice(from, area.selectionStart);
      const item = /^(\s*)([-*+]|\d+[.)])(\s(?:\[[ xX]\]\s)?)(.*)$/.exec(line);
      if (!item) return;
      event.preventDefault();
      if (!item[4]) { insert("", from, area.selectionStart); return; }
      const next = /\d/.test(item[2]) ? `${parseInt(item[2], 10) + 1}${item[2].slice(-1)}` : item[2];
      insert(`\n${item[1]}${next}${item[3].replace(/\[[xX]\]/, "[ ]")}`, area.selectionStart, area.selectionStart);
    }
  });

  /* preview at the side */
  let asked = 0;
  let soon;
  const render = async () => {
    if (!preview || editor.dataset.view === "write") return;
    const mine = ++asked;
    const body = new FormData();
    body.set("content", area.value);
    body.set("csrfmiddlewaretoken", form.querySelector("[name=csrfmiddlewaretoken]").value);
    try {
      const answer = await fetch(form.dataset.previewUrl, { method: "POST", body, redirect: "manual", headers: { "HX-Request": "true" } });
      if (mine === asked && answer.ok) preview.innerHTML = await answer.text();
    } catch { /* offline: the last preview stays */ }
  };
  area.addEventListener("input", () => { clearTimeout(soon); soon = setTimeout(render, 250); });
  const show = (view) => {
    editor.dataset.view = view;
    for (const button of form.querySelectorAll("[data-view-as]")) button.setAttribute("aria-pressed", String(button.dataset.viewAs === view));
    try { localStorage.setItem("baton.editor", view); } catch { /* refused */ }
    render();
  };
  let view = null;
  try { view = localStorage.getItem("baton.editor"); } catch { /* refused */ }
  show(view ?? (matchMedia("(min-width: 75rem)").matches ? "split" : "write"));
}
