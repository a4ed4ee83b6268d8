/* The read page: citations by heading, the cited lines, contents that follow, and a draft that has been saved. */
const article = document.querySelector("[data-document]");
if (article) {
  const { location: place, commit, saved, edit } = article.dataset;
  const blocks = [...article.querySelectorAll("[data-lines]")];

  const span = (block) => block.dataset.lines.split("-").map(Number);
  /* a section reaches to the last block before the next heading of its level or above */
  const section = (heading) => {
    const level = Number(heading.tagName[1]);
    const [from] = span(heading);
    const next = blocks.find((block) => /^H[1-6]$/.test(block.tagName) && Number(block.tagName[1]) <= level && span(block)[0] > from);
    const end = next ? span(next)[0] - 1 : Infinity;
    const ends = blocks.map((block) => span(block)[1]).filter((line) => line >= from && line <= end);
    return [from, Math.max(from, ...ends)];
  };

  for (const heading of article.querySelectorAll(":is(h1, h2, h3, h4, h5, h6)[data-lines]")) {
    if (edit && heading.id) {
      const link = document.createElement("a");
      link.href = `${edit}?section=${encodeURIComponent(heading.id)}`;
      link.className = "edit-section";
      link.title = "Edit this section";
      link.setAttribute("aria-label", `Edit the section “${heading.textContent.trim()}”`);
      link.append(document.querySelector("#icon-edit").content.firstElementChild.cloneNode(true));
      heading.append(link);
    }
    const button = document.createElement("button");
    button.type = "button";
    button.className = "cite";
    const [from, to] = section(heading);
    button.dataset.copy = `${place}@${commit}#L${from}${to > from ? `-L${to}` : ""}`;
    button.dataset.said = "Citation copied";
    button.title = "Copy a citation of this section";
    button.setAttribute("aria-label", `Copy a citation of “${heading.textContent.trim()}”`);
    const icon = document.querySelector("#icon-cite").content.firstElementChild.cloneNode(true);
    button.append(icon);
    heading.append(button);
  }

  const showCited = () => {
    for (const block of article.querySelectorAll(".cited")) block.classList.remove("cited");
    const match = /^#L(\d+)(?:-L?(\d+))?$/.exec(location.hash);
    if (!match) return;
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    const inside = blocks.filter((block) => {
      const [from, to] = block.dataset.lines.split("-").map(Number);
      return from <= last && (to || from) >= first;
    });
    // The innermost blocks: a list of twenty items is not marked for the sake of one.
    const innermost = inside.filter((block) => !inside.some((other) => other !== block && block.contains(other)));
    for (const block of innermost) block.classList.add("cited");
    innermost[0]?.scrollIntoView({ block: "center" });
  };
  showCited();
  addEventListener("hashchange", showCited);

  /* Who wrote this sentence, and why: a click into it, or w for what is selected or stands at the top. */
  const who = document.querySelector("#who");
  if (who && "showPopover" in who) {
    const letters = (text) => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
    const beside = (box) => {
      const { width, height } = who.getBoundingClientRect();
      const { clientWidth: wide } = document.documentElement;
      const below = box.bottom + 8 + height <= innerHeight || box.top < height;
      who.style.left = `${Math.max(8, Math.min(box.left, wide - width - 8))}px`;
      who.style.top = `${Math.max(8, Math.min(below ? box.bottom + 8 : box.top - height - 8, innerHeight - height - 8))}px`;
    };
    /* what stands around a place in the text: words that have no markup between them, how far down the block they are,
       and how far into them the place is; behind the end of a sentence it is that one, not the next */
    const around = (block, node, at) => {
      if (node?.nodeType !== Node.TEXT_NODE || !block.contains(node)) return { words: "", skip: 0, into: 0 };
      const from = Math.max(0, at - 40);
      const before = document.createRange();
      before.setStart(block, 0);
      before.setEnd(node, from);
      const passed = letters(node.data.slice(from, at));
      const into = /\S/.test(node.data.slice(at - 1, at)) ? Math.max(0, passed - 1) : passed;
      return { words: node.data.slice(from, at + 40), skip: letters(before.toString()), into };
    };
    let asked;
    const ask = async (block, node, at, box) => {
      const query = new URLSearchParams({ at: commit, lines: block.dataset.lines, ...around(block, node, at) });
      asked?.classList.remove("asked");
      asked = block;
      await htmx.ajax("GET", `${who.dataset.who}?${query}`, { target: who, swap: "innerHTML" });
      if (!who.firstElementChild) return;
      if (!who.matches(":popover-open")) who.showPopover();
      block.classList.add("asked");
      beside(box);
    };
    who.addEventListener("toggle", (event) => { if (event.newState === "closed") asked?.classList.remove("asked"); });
    article.addEventListener("click", (event) => {
      const block = event.target.closest("[data-lines]");
      if (!block || event.target.closest("a, button, summary, input, label") || !getSelection().isCollapsed) return;
      const caret = document.caretPositionFromPoint?.(event.clientX, event.clientY);
      const range = caret ? undefined : document.caretRangeFromPoint?.(event.clientX, event.clientY);
      const { clientX: x, clientY: y } = event;
      ask(block, caret?.offsetNode ?? range?.startContainer, caret?.offset ?? range?.startOffset ?? 0, new DOMRect(x, y - 8, 0, 16));
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "w" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select")) return;
      const chosen = getSelection();
      const node = chosen.rangeCount && article.contains(chosen.anchorNode) ? chosen.anchorNode : null;
      const block = node?.parentElement.closest("[data-lines]") ?? blocks.find((one) => one.getBoundingClientRect().bottom > 120);
      if (!block) return;
      event.preventDefault();
      ask(block, node, node ? chosen.anchorOffset : 0, block.getBoundingClientRect()).then(() => who.querySelector("button, a")?.focus());
    });
  }

  const links = [...document.querySelectorAll(".contents a")];
  if (links.length && "IntersectionObserver" in window) {
    const heads = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1)))).filter(Boolean);
    const follow = () => {
      const passed = heads.filter((head) => head.getBoundingClientRect().top < 160);
      const now = passed.at(-1) ?? heads[0];
      for (const link of links)
        decodeURIComponent(link.hash.slice(1)) === now?.id ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
    };
    let queued = false;
    addEventListener("scroll", () => { if (!queued) { queued = true; requestAnimationFrame(() => { queued = false; follow(); }); } }, { passive: true });
    follow();
  }

  if (saved) {
    // The form's text has become a commit: what the browser kept of it is no longer unsaved.
    try { localStorage.removeItem(sessionStorage.getItem("baton.saving") ?? ""); sessionStorage.removeItem("baton.saving"); } catch { /* refused */ }
    history.replaceState(null, "", location.pathname + location.hash);
  }
}
