/* The page that settles a conflict: keys, undo, a result that follows, choices kept on the server, who else is here. */
const form = document.querySelector("[data-settle]");
if (form) {
  const hunks = [...form.querySelectorAll(".hunk")];
  const meter = form.querySelector("progress");
  const words = form.querySelector("[data-progress]");
  const save = form.querySelector("[data-save]");
  const undoing = form.querySelector("[data-undo]");
  const result = form.querySelector("#result");
  const presence = form.querySelector("[data-presence]");
  const out = form.querySelector("[data-signed-out]");
  const may = "may" in form.dataset;
  // The answer to another page's form: to load it again, or to come back to it, must not send that once more.
  const address = form.getAttribute("action");
  if (location.pathname !== address) history.replaceState(null, "", address + location.hash);

  /* what is chosen, and how it was before */
  const radio = (hunk, value) => hunk.querySelector(`input[type=radio][value="${value}"]`);
  const area = (hunk) => hunk.querySelector("textarea");
  const chosen = (hunk) => hunk.querySelector("input[type=radio]:checked");
  const now = (hunk) => ({ value: chosen(hunk)?.value ?? "", text: area(hunk).value });
  const last = new Map(hunks.map((hunk) => [hunk, now(hunk)]));
  const done = [];
  const remember = (hunk) => {
    const before = last.get(hunk);
    const after = now(hunk);
    if (before.value === after.value && before.text === after.text) return;
    // Typing on in one place is one step.
    const top = done.at(-1);
    if (!(top?.hunk === hunk && before.value === "text" && after.value === "text" && top.typing)) {
      done.push({ hunk, ...before, typing: after.value === "text" && before.value === "text" });
    }
    last.set(hunk, after);
    undoing.disabled = false;
  };
  const undo = () => {
    const step = done.pop();
    if (!step) return;
    const { hunk, value, text } = step;
    area(hunk).value = text;
    for (const input of hunk.querySelectorAll("input[type=radio]")) input.checked = input.value === value;
    last.set(hunk, now(hunk));
    undoing.disabled = !done.length;
    shown();
    go(hunk);
    soon();
  };

  /* what the server has not got yet: a reload or a dead network must not lose it */
  const local = {
    key: `baton.settle:${form.dataset.atIt}`,
    head: form.elements.expected_commit.value,
    read() { try { return JSON.parse(localStorage.getItem(this.key)); } catch { return null; } },
    write() { try { localStorage.setItem(this.key, JSON.stringify({ head: this.head, places: hunks.map(now) })); } catch { /* refused */ } },
    drop() { try { localStorage.removeItem(this.key); } catch { /* refused */ } },
  };

  /* progress */
  const shown = () => {
    const count = hunks.filter(chosen).length;
    if (meter) meter.value = count;
    if (hunks.length) words.textContent = count === hunks.length ? "All decided" : `${count} of ${hunks.length} decided`;
    save?.classList.toggle("button-primary", count === hunks.length);
    for (const hunk of hunks) hunk.querySelector("[data-state]").textContent = chosen(hunk) ? "decided" : "to decide";
  };

  /* the place in hand */
  let current;
  const point = (hunk) => {
    current?.removeAttribute("data-current");
    current = hunk;
    current?.setAttribute("data-current", "");
    marked();
  };
  const go = (hunk) => {
    if (!hunk) return;
    point(hunk);
    hunk.focus({ preventScroll: true });
    hunk.scrollIntoView({ block: "nearest" });
  };
  const step = (by) => go(hunks[Math.min(hunks.length - 1, Math.max(0, hunks.indexOf(current) + by))]);
  const onward = () => {
    const at = hunks.indexOf(current);
    const open = [...hunks.slice(at + 1), ...hunks.slice(0, at)].find((hunk) => !chosen(hunk));
    if (open) go(open); else { current.focus({ preventScroll: true }); }
  };
  const choose = (value) => {
    const input = current && radio(current, value);
    if (!input || input.disabled) return false;
    const fresh = !chosen(current);
    if (value === "text" && chosen(current)?.value !== "text") {
      // Begins from what was chosen, unless something was typed already.
      const from = chosen(current)?.dataset.text;
      if (from && area(current).value === area(current).defaultValue) area(current).value = from;
    }
    input.checked = true;
    remember(current);
    shown();
    soon();
    if (value === "text") area(current).focus();
    else if (fresh) onward();
    return true;
  };
  form.addEventListener("focusin", (event) => {
    const hunk = event.target.closest(".hunk");
    if (hunk && hunk !== current) point(hunk);
  });
  form.addEventListener("change", (event) => {
    if (event.target.type !== "radio") return;
    const hunk = event.target.closest(".hunk");
    point(hunk);
    remember(hunk);
    shown();
    soon();
    if (event.target.value === "text") area(hunk).focus();
  });
  form.addEventListener("input", (event) => {
    if (!event.target.matches(".hunk textarea")) return;
    const hunk = event.target.closest(".hunk");
    radio(hunk, "text").checked = true;
    remember(hunk);
    shown();
    soon();
  });
  undoing?.addEventListener("click", undo);
  for (const button of form.querySelectorAll("[data-step]")) button.addEventListener("click", () => step(Number(button.dataset.step)));

  /* keys: before those of every page, which mean lists by j and k */
  const keys = {
    1: () => choose("mine"), 2: () => choose("theirs"), 3: () => choose("both"), 4: () => choose("base"),
    5: () => choose("suggestion"), e: () => choose("text"), u: undo,
    j: () => step(1), k: () => step(-1), n: () => step(1), p: () => step(-1),
    b: () => { const base = current?.querySelector(".hunk-base"); if (base) base.open = !base.open; },
  };
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]")) return;
    const mod = event.ctrlKey || event.metaKey;
    if (may && mod && (event.key === "s" || event.key === "Enter") && form.contains(event.target)) {
      event.preventDefault();
      save.click();
      return;
    }
    if (mod || event.altKey) return;
    if (event.target.matches?.("textarea, select, input:not([type=radio], [type=checkbox])")) {
      if (event.key === "Escape" && event.target.closest(".hunk")) { event.preventDefault(); go(current); }
      return;
    }
    const act = hunks.length && Object.hasOwn(keys, event.key) && keys[event.key];
    if (!act || (!may && !"jknpb".includes(event.key))) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  }, true);
  save?.addEventListener("click", (event) => {
    const open = hunks.find((hunk) => !chosen(hunk));
    if (open) { event.preventDefault(); go(open); }
  });

  /* the result, with the places in it */
  const marked = () => {
    const section = result.querySelector("[data-spans]");
    if (!section) return;
    const blocks = [...section.querySelectorAll("[data-lines]")];
    for (const block of blocks) block.classList.remove("is-placed", "is-undecided", "is-here");
    let here;
    section.dataset.spans.split(" ").forEach((span, n) => {
      const [first, end] = span.split("-").map(Number);
      if (!first || !hunks[n]) return;
      const inside = blocks.filter((block) => {
        const [from, to] = block.dataset.lines.split("-").map(Number);
        return from <= end && (to || from) >= first;
      });
      for (const block of inside.filter((one) => !inside.some((other) => other !== one && one.contains(other)))) {
        block.classList.add("is-placed");
        block.classList.toggle("is-undecided", !chosen(hunks[n]));
        if (hunks[n] === current) { block.classList.add("is-here"); here ??= block; }
      }
    });
    // Only the column of its own scrolls; on a narrow screen the page would move under the hand.
    if (here && getComputedStyle(result).position === "sticky") {
      const pane = section.querySelector(".card-body");
      pane.scrollTop += here.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight / 3;
    }
  };

  /* the server: keeps the choices, draws the result, tells who else is here */
  const opened = `${performance.timeOrigin}-${Math.random()}`;
  let asked = 0;
  let steps = 0;
  let sent = 0;
  let changed = false;
  const body = () => {
    const data = new FormData(form);
    // A page that only lies open must not put what it shows in the place of what was chosen elsewhere since.
    if (!changed) data.set("old", "1");
    // Of two that are under way at once, as when the page is left, the server keeps the later.
    data.set("page", opened);
    data.set("step", steps);
    return data;
  };
  const signedOut = (is) => { out.hidden = !is; };
  /* who signed in again has another token */
  const renew = async () => {
    const answer = await fetch(form.getAttribute("action"), { redirect: "manual" });
    if (answer.type === "opaqueredirect") { signedOut(true); return false; }
    if (!answer.ok) return false;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-settle] [name=csrfmiddlewaretoken]");
    if (fresh) form.elements.csrfmiddlewaretoken.value = fresh.value;
    return Boolean(fresh);
  };
  const deliver = async (address, retries = true) => {
    sent = steps;
    const signal = AbortSignal.timeout(20000);
    const answer = await fetch(address, { method: "POST", body: body(), redirect: "manual", signal, headers: { "HX-Request": "true" } });
    if (answer.type === "opaqueredirect") { signedOut(true); return ""; }
    if (answer.status === 403 && retries && await renew()) return deliver(address, false);
    if (answer.ok) signedOut(false);
    return answer.ok ? answer.text() : "";
  };
  // One after the other: the server keeps what comes last, and of two at once that may be the older.
  let line = Promise.resolve();
  const send = (address) => {
    const turn = line.then(() => deliver(address));
    line = turn.catch(() => {});
    return turn;
  };
  const draw = async () => {
    const mine = ++asked;
    try {
      const html = await send(form.dataset.previewAt);
      if (mine !== asked || !html) return;
      // What was chosen since it was sent is not on the server yet.
      if (changed && sent === steps) local.drop();
      const top = result.querySelector(".card-body")?.scrollTop ?? 0;
      result.innerHTML = html;
      result.querySelector(".card-body").scrollTop = top;
      marked();
    } catch { /* offline: the last result stays, and the form holds the choices */ }
  };
  let timer;
  const soon = () => {
    changed = true;
    steps += 1;
    local.write();
    clearTimeout(timer);
    timer = setTimeout(draw, 250);
  };
  const present = async () => {
    if (document.hidden) return;
    const had = !out.hidden;
    try {
      const html = (await send(form.dataset.atIt)).trim();
      // What was chosen meanwhile is kept now.
      if (out.hidden && had) { draw(); return; }
      if (out.hidden && html !== presence.innerHTML.trim()) presence.innerHTML = html;
    } catch { /* offline */ }
  };
  // What was chosen within the last moment is kept though the page is left.
  addEventListener("pagehide", () => {
    if (!leaving && may && changed) navigator.sendBeacon(form.dataset.atIt, body());
  });
  let leaving = false;
  form.addEventListener("submit", () => { leaving = true; clearTimeout(timer); });
  addEventListener("pageshow", () => { leaving = false; });
  if (may) {
    const kept = local.read();
    if (kept?.head === local.head && kept.places.length === hunks.length) {
      hunks.forEach((hunk, n) => {
        const { value, text } = kept.places[n];
        area(hunk).value = text;
        for (const input of hunk.querySelectorAll("input[type=radio]")) input.checked = input.value === value;
        last.set(hunk, now(hunk));
      });
      changed = true;
    } else {
      local.drop();
    }
    present();
    setInterval(present, 20000);
    document.addEventListener("visibilitychange", present);
    // Signing in or out in another window is told by its next page.
    addEventListener("storage", (event) => { if (event.key === "baton.person") present(); });
  }
  // A long text is shown from a little above what differs in it.
  for (const text of form.querySelectorAll(".hunk-side .hunk-text, .hunk-suggestion .hunk-text")) {
    const first = text.querySelector("ins, del");
    if (first && text.scrollHeight > text.clientHeight) text.scrollTop += first.getBoundingClientRect().top - text.getBoundingClientRect().top - text.clientHeight / 3;
  }
  shown();
  point(hunks.find((hunk) => !chosen(hunk)) ?? hunks[0]);
  draw();
}
