/* Text that is not saved yet: kept in this browser and on the server, and carried along when others save meanwhile. */
const form = document.querySelector("[data-editor]");
if (form) {
  const area = form.querySelector("textarea[name=content]");
  const message = form.querySelector("[name=message]");
  const base = form.querySelector("[name=base]");
  const mark = form.querySelector("[name=draft]");
  const place = form.querySelector("[name=location]");
  const token = form.querySelector("[name=csrfmiddlewaretoken]");
  const state = form.querySelector("[data-draft-state]");
  const age = form.querySelector("[data-draft-age]");
  const { person, place: where, section = "", draftUrl, newerUrl, rebaseUrl, clean } = form.dataset;
  const DAY = 86400000;
  const AFTER = 2000; // ms without a key until the server is told
  const EVERY = 5000; // ms between two looks at the head
  const WAIT = 20000; // ms for an answer
  let looked = 0;
  const part = (name) => form.querySelector(`[data-${name}]`);

  /* this browser: one entry for each page that was opened, so that no window writes over another's */
  const prefix = `baton.draft:${person}:${where}:${section}:`;
  let own = prefix + Date.now().toString(36) + Math.random().toString(36).slice(2, 6);
  const browser = {
    all() {
      const found = [];
      try {
        for (const key of Object.keys(localStorage)) {
          if (!key.startsWith("baton.draft:")) continue;
          let entry = null;
          try { entry = JSON.parse(localStorage.getItem(key)); } catch { /* not of this page's making */ }
          if (!entry || Date.now() - entry.at > 90 * DAY) localStorage.removeItem(key);
          else if (key.startsWith(prefix)) found.push({ key, ...entry });
        }
      } catch { /* refused */ }
      return found.sort((a, b) => b.at - a.at);
    },
    write() {
      try {
        localStorage.setItem(own, JSON.stringify({ text: area.value, at: Date.now(), base: base.value, place: place?.value }));
        return true;
      } catch { return false; }
    },
    drop(key = own) { try { localStorage.removeItem(key); } catch { /* refused */ } },
  };

  /* what is said of it; the age is not read out each second */
  let saved = null;
  const says = (words, kind = "") => { if (state.textContent !== words) state.textContent = words; state.dataset.kind = kind; age.textContent = ""; };
  const tick = () => {
    if (!saved) return;
    const seconds = Math.round((Date.now() - saved) / 1000);
    age.textContent = `${seconds < 2 ? "just now" : seconds < 60 ? `${seconds} s ago` : `${Math.floor(seconds / 60)} min ago`}${base.value ? `, based on ${base.value.slice(0, 8)}` : ""}`;
  };
  setInterval(tick, 1000);
  const told = () => { saved = Date.now(); says("Draft saved", "saved"); tick(); };
  /* what differs from it is unsaved: all of a text that a refusal gave back, or that was a draft */
  const again = Boolean(form.dataset.resumed || form.dataset.cameBack);
  let original = again ? null : area.value;
  const dirty = () => area.value !== original;
  let stored = true;
  const locally = (why) => {
    saved = null;
    if (stored) says(`${why} · kept in this browser`, "kept");
    else says(`${why} · this browser keeps nothing, do not leave`, "lost");
  };
  /* whether this person is signed in: the answer to the request that was sent last tells, whichever comes in last */
  let out = ""; // "out", or "other" for somebody else
  let sent = 0;
  let heard = 0;
  const standing = (is, nth) => {
    if (nth < heard) return;
    heard = nth;
    out = is;
    part("signed-out").hidden = !is;
    if (is) part("signed-out").querySelector("[data-why]").textContent = is === "other" ? "Somebody else is signed in in this browser now." : "You are signed out.";
    if (is && dirty()) locally(is === "other" ? "Somebody else is signed in, not saved" : "Signed out, not saved");
  };

  /* the server; an answer that never comes is none */
  const ask = async (url, { control = new AbortController(), ...options } = {}) => {
    const nth = ++sent;
    const end = setTimeout(() => control.abort(new DOMException("no answer", "TimeoutError")), WAIT);
    try {
      const answer = await fetch(url, { redirect: "manual", signal: control.signal, ...options });
      if (answer.type === "opaqueredirect") standing("out", nth);
      return { answer, nth };
    } finally { clearTimeout(end); }
  };
  const send = (url, fields, more = {}) => {
    const body = new URLSearchParams({ csrfmiddlewaretoken: token.value, ...fields });
    return ask(url, { method: "POST", body, headers: { "X-CSRFToken": token.value }, ...more });
  };
  /* somebody who signed in again has another token; whoever else did has another page. Says whether to go on. */
  const renew = async () => {
    const { answer, nth } = await ask(location.pathname + location.search);
    if (!answer.ok) return false;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-editor]");
    if (fresh?.dataset.person !== person) { standing("other", nth); return false; }
    token.value = fresh.querySelector("[name=csrfmiddlewaretoken]").value;
    standing("", nth);
    return true;
  };
  const fields = () => ({ content: area.value, base: base.value, section, message: message.value, location: place?.value ?? "" });
  let timer = 0;
  let flight = null;
  let leaving = false;
  let kept = form.dataset.resumed ? area.value : null;
  const keep = async (retries = true, more = {}) => {
    clearTimeout(timer);
    timer = 0;
    if (leaving || flight || !dirty() || area.value === kept) return;
    const text = area.value;
    flight = new AbortController();
    let retry = false;
    try {
      const { answer, nth } = await send(draftUrl, { ...fields(), follows: mark.value }, { control: flight, ...more });
      const answered = answer.headers.get("content-type")?.includes("json") ? await answer.json() : null;
      if (answer.ok && answered) {
        mark.value = answered.mark;
        kept = text;
        standing("", nth);
        if (area.value === text && !out) told();
      } else if (answer.status === 409 && answered) {
        const { other } = answered;
        if (other && other.content !== text) { offer(other); locally("Not saved"); }
        else { mark.value = other?.mark ?? ""; retry = retries; }
      } else if (answer.status === 403 && retries) { retry = await renew(); if (!retry && !out) locally("Not saved"); }
      else if (out) standing(out, nth);
      else locally(answer.status === 413 ? "Too large to be saved" : "Not saved");
    } catch (fault) {
      if (fault.name !== "AbortError") locally("No connection, not saved");
    } finally {
      flight = null;
    }
    if (retry) await keep(false);
    else if (area.value !== text && !leaving) later();
  };
  const later = () => { clearTimeout(timer); timer = setTimeout(keep, AFTER); };

  const changed = () => {
    if (!dirty()) {
      browser.drop();
      clearTimeout(timer);
      timer = 0;
      saved = null;
      says(clean);
      return;
    }
    stored = browser.write();
    if (area.value !== kept) { if (out) standing(out, heard); else locally(navigator.onLine ? "Not saved yet" : "No connection, not saved"); later(); }
    if (Date.now() - looked > AFTER) look();
  };
  let soon = 0;
  area.addEventListener("input", () => { if (dirty() && !saved && state.textContent === clean) says("Not saved yet"); clearTimeout(soon); soon = setTimeout(() => { soon = 0; changed(); }, 300); });
  message.addEventListener("input", () => { if (dirty()) { kept = null; later(); } });
  addEventListener("online", () => { keep(); look(); });

  form.addEventListener("submit", (event) => {
    if (event.submitter?.name === "preview") return;
    if (!navigator.onLine) {
      event.preventDefault();
      browser.write();
      locally("No connection, not saved");
      return;
    }
    leaving = true;
    clearTimeout(timer);
    clearTimeout(soon);
    flight?.abort();
    if (dirty()) browser.write();
    // The read page drops what was kept here, once the text is a commit.
    try { sessionStorage.setItem("baton.saving", own); } catch { /* refused */ }
  });
  addEventListener("pageshow", () => { leaving = false; });
  addEventListener("beforeunload", (event) => {
    if (leaving || !dirty()) return;
    if (!browser.write()) event.preventDefault();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) { if (dirty() && !leaving) { browser.write(); keep(true, { keepalive: area.value.length < 20000 }); } }
    else look();
  });

  /* drafts to go on from */
  const shows = async (banner, text) => {
    const box = banner.querySelector("[data-changes]");
    if (!box.hidden) { box.hidden = true; return; }
    try {
      const { answer } = await send(form.dataset.showUrl, { show: "1", ...text });
      if (answer.ok) { box.innerHTML = await answer.text(); box.hidden = false; }
    } catch { /* offline */ }
  };
  const takeUp = (text, upon, to) => {
    area.value = text;
    if (upon) base.value = upon;
    if (place && to) place.value = to;
    area.dispatchEvent(new Event("input", { bubbles: true }));
    area.focus();
    look();
  };
  /* the copy in this browser of a draft that was decided on */
  const forget = (text) => { for (const entry of browser.all()) if (entry.text === text) browser.drop(entry.key); };
  const server = part("draft-banner");
  const local = part("local-banner");
  const offer = (draft) => {
    server.querySelector("[data-when]").textContent = new Date(draft.saved_at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    server.querySelector("[data-upon]").textContent = draft.base ? `, based on ${draft.based}` : "";
    server.hidden = false;
    server.draft = draft;
  };
  server.querySelector("[data-restore]").addEventListener("click", (event) => {
    event.preventDefault();
    const { draft } = server;
    if (!place && draft.section !== section) { if (dirty()) browser.write(); leaving = true; location.assign(event.currentTarget.href); return; }
    mark.value = draft.mark;
    kept = draft.content;
    forget(draft.content);
    server.hidden = true;
    takeUp(draft.content, draft.base, draft.section);
    told();
  });
  server.querySelector("[data-show]")?.addEventListener("click", (event) => {
    event.preventDefault();
    shows(server, { content: server.draft.content, base: server.draft.base, section: server.draft.section });
  });
  server.querySelector("[data-discard]").addEventListener("click", async (event) => {
    event.preventDefault();
    try {
      const { answer } = await send(draftUrl, { discard: "1", script: "1", follows: server.draft.mark });
      if (answer.ok) { forget(server.draft.content); server.hidden = true; keep(); }
    } catch { /* offline: it stays */ }
  });
  const data = document.getElementById("draft-data");
  const waiting = data ? JSON.parse(data.textContent) : null;
  if (waiting && waiting.content !== area.value) offer(waiting);
  else if (waiting) mark.value = waiting.mark;

  const entries = browser.all();
  const mine = entries.find((entry) => entry.text === area.value);
  if (mine) { if (again) own = mine.key; else browser.drop(mine.key); }
  const newest = entries.find((entry) => entry.text !== area.value && entry.text !== waiting?.content);
  if (newest) {
    local.querySelector("[data-when]").textContent = new Date(newest.at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    local.querySelector("[data-upon]").textContent = newest.base ? `, based on ${newest.base.slice(0, 8)}` : "";
    local.hidden = false;
    local.querySelector("[data-restore]").addEventListener("click", () => {
      browser.drop();
      own = newest.key;
      local.remove();
      takeUp(newest.text, newest.base, newest.place);
    });
    local.querySelector("[data-show]")?.addEventListener("click", () => shows(local, { content: newest.text, base: newest.base, section }));
    local.querySelector("[data-discard]").addEventListener("click", () => { browser.drop(newest.key); local.remove(); });
  }
  // What the server has is taken up by its own button; until then the copy here stays as well.
  if (again) { stored = browser.write(); if (form.dataset.resumed) told(); else { locally("Not saved yet"); later(); } }

  /* following the head */
  const moved = (old, now, at) => {
    let before = 0;
    const most = Math.min(old.length, now.length);
    while (before < most && old[before] === now[before]) before += 1;
    if (at <= before) return at;
    let behind = 0;
    while (behind < most - before && old[old.length - 1 - behind] === now[now.length - 1 - behind]) behind += 1;
    if (at >= old.length - behind) return now.length - (old.length - at);
    for (const size of [240, 80, 30, 12]) {
      for (const [left, right] of [[size, size], [size, 0], [0, size]]) {
        const text = old.slice(Math.max(0, at - left), at + right);
        let best = -1;
        for (let found = now.indexOf(text); found >= 0; found = now.indexOf(text, found + 1))
          if (best < 0 || Math.abs(found - at) < Math.abs(best - at)) best = found;
        if (best >= 0) return best + Math.min(left, at);
      }
    }
    return Math.min(at, now.length);
  };
  const height = (text) => {
    const probe = form.querySelector(".editor-write pre").cloneNode();
    Object.assign(probe.style, { inset: "0 0 auto 0", visibility: "hidden" });
    probe.hidden = false;
    probe.textContent = `${text}\u200b`;
    area.parentElement.append(probe);
    const { offsetHeight } = probe;
    probe.remove();
    return offsetHeight;
  };
  const become = (text) => {
    const { value: old, selectionStart, selectionEnd, selectionDirection, scrollTop } = area;
    // Nobody is there to lose their place in a field without the caret; then what is at its top stays there.
    const from = moved(old, text, selectionStart);
    const to = moved(old, text, selectionEnd);
    const shift = height(text.slice(0, from)) - height(old.slice(0, selectionStart));
    // Not by execCommand: undoing would silently take out what the other wrote.
    area.value = text;
    area.setSelectionRange(from, to, selectionDirection);
    area.scrollTop = scrollTop + shift;
    area.dispatchEvent(new Event("scroll"));
  };
  const strip = (html) => { part("strip").innerHTML = html; };
  let composing = false;
  area.addEventListener("compositionstart", () => { composing = true; });
  area.addEventListener("compositionend", () => { composing = false; });
  // The head that did not fit, and the text it did not fit with: a sentence that is half typed may fit when it is whole.
  let apart = "";
  let tried = "";
  let looking = false;
  let wanted = false;
  const follow = async () => {
    const { value } = area;
    const upon = base.value;
    const { answer } = await send(rebaseUrl, { content: value, base: upon, section });
    if (answer.status === 403) { await renew(); return; }
    if (!answer.ok) return;
    const found = await answer.json();
    if (found.state === "apart") { if (apart !== found.head) strip(found.strip); apart = found.head; tried = value; return; }
    if (found.state !== "merged") return;
    // Typed on meanwhile: the next look merges that.
    if (area.value !== value || base.value !== upon || composing) { setTimeout(look, 400); return; }
    const had = dirty();
    original = found.original;
    base.value = found.base;
    apart = "";
    if (found.content !== value) become(found.content);
    for (const element of document.querySelectorAll("[data-based]")) element.innerHTML = found.based;
    strip(found.strip);
    kept = had ? null : kept;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  };
  async function look() {
    if (leaving || document.hidden) return;
    if (looking) { wanted = true; return; }
    looking = true;
    looked = Date.now();
    try {
      const follows = newerUrl && base.value;
      if (follows) {
        const than = apart && area.value === tried ? apart : base.value;
        const { answer } = await ask(`${newerUrl}?than=${than}`);
        if (answer.type === "opaqueredirect") return;
        if (answer.status === 200 && !out && !composing) await follow();
      }
      const back = out && await renew();
      if (back) kept = null;
      if (!out && dirty() && area.value !== kept && !flight && (back || !(timer || soon))) keep(); // a slow draft must not hold up the next look
    } catch { if (dirty() && !out) locally("No connection, not saved"); }
    finally { looking = false; if (wanted) { wanted = false; look(); } }
  }
  setInterval(look, EVERY);
  // Signing in or out in another window is told by its next page.
  addEventListener("storage", (event) => { if (event.key === "baton.person") look(); });
  addEventListener("focus", look);
  look();
}
