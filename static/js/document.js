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
