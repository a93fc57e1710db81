"use strict";
/* What pages and reports do by themselves: news of live runs, split trees, traces, tables, light and dark. Nothing here
   is needed to read a page. */
(() => {
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const one = (selector, from = document) => from.querySelector(selector);

  // --- light and dark
  const kept = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  if (kept()) document.documentElement.dataset.theme = kept();
  all("[data-theme-switch]").forEach((button) => button.addEventListener("click", () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
    const next = now === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    try { localStorage.setItem("theme", next); } catch { /* a report from disk may have nowhere to keep it */ }
  }));

  // --- split trees
  const chosen = new Map();  // by the number of the tree on the page: the part, and the one that is zoomed into
  const parts = (frame) => all("svg.part", frame);
  const number = (part, name) => parseFloat(part.dataset[name]);
  function zoom(frame, target) {
    const x = target ? number(target, "x") : 0, w = target ? Math.max(number(target, "w"), 0.0001) : 100;
    for (const part of parts(frame)) {
      const left = (number(part, "x") - x) * 100 / w, width = number(part, "w") * 100 / w;
      const from = Math.max(left, 0), until = Math.min(left + width, 100);
      part.setAttribute("visibility", until > from ? "visible" : "hidden");
      part.setAttribute("x", from + "%");
      part.setAttribute("width", Math.max(until - from, 0.05) + "%");
    }
  }
  function choose(frame, part, focus) {
    const tree = all("[data-tree]").indexOf(frame), state = chosen.get(tree) || {};
    parts(frame).forEach((other) => other.classList.toggle("selected", other === part));
    state.part = part.dataset.id;
    chosen.set(tree, state);
    const place = frame.parentElement.querySelector(".chosen");
    place.replaceChildren(...one("title", part).textContent.split("\n").map((line, at) => {
      const element = document.createElement(at ? "p" : "b");
      element.textContent = line;
      return element;
    }));
    if (focus) part.focus({ preventScroll: true });
  }
  document.addEventListener("input", (event) => {  // a search as it was
    if (!event.target.dataset || !event.target.dataset.moment) return;
    const slider = event.target, last = Number(slider.dataset.moment), at = slider.value / 1000 * last;
    const isEnd = slider.value === slider.max, told = one("output", slider.parentElement);
    told.textContent = isEnd ? "latest" : `after ${at.toFixed(1)} s`;
    for (const part of parts(one("[data-tree]", slider.closest("label").parentElement))) {
      const begin = part.dataset.begin, end = part.dataset.end;
      part.classList.toggle("later", !isEnd && (begin === undefined || Number(begin) > at));
      part.classList.toggle("yet-open", !isEnd && (end === undefined || Number(end) > at));
    }
  });
  function zoomTo(frame, id) {
    const tree = all("[data-tree]").indexOf(frame), state = chosen.get(tree) || {};
    state.zoom = id;
    chosen.set(tree, state);
    zoom(frame, id === undefined ? null : parts(frame).find((part) => part.dataset.id === id));
  }
  function restore() {
    all("[data-tree]").forEach((frame, at) => {
      const state = chosen.get(at);
      if (!state) return;
      const part = parts(frame).find((other) => other.dataset.id === state.part);
      if (part) choose(frame, part, false);
      if (state.zoom !== undefined) zoomTo(frame, state.zoom);
    });
  }
  document.addEventListener("click", (event) => {
    const part = event.target.closest("svg.part");
    if (part) choose(part.closest("[data-tree]"), part, true);
  });
  document.addEventListener("dblclick", (event) => {
    const part = event.target.closest("svg.part");
    if (part) zoomTo(part.closest("[data-tree]"), part.dataset.id);
  });
  document.addEventListener("keydown", (event) => {
    const part = event.target.closest && event.target.closest("svg.part");
    if (!part) return;
    const frame = part.closest("[data-tree]"), y = parseFloat(part.getAttribute("y")), x = number(part, "x") + number(part, "w") / 2;
    const rows = parts(frame).filter((other) => other.getAttribute("visibility") !== "hidden");
    const near = (row) => row.sort((a, b) => Math.abs(number(a, "x") + number(a, "w") / 2 - x) - Math.abs(number(b, "x") + number(b, "w") / 2 - x))[0];
    const height = parseFloat(part.getAttribute("height")), at = (other) => parseFloat(other.getAttribute("y"));
    const beside = rows.filter((other) => at(other) === y).sort((a, b) => number(a, "x") - number(b, "x"));
    const moves = {
      ArrowDown: () => near(rows.filter((other) => Math.abs(at(other) - y - height) < 1 && number(other, "x") + number(other, "w") > number(part, "x") && number(other, "x") < number(part, "x") + number(part, "w"))),
      ArrowUp: () => near(rows.filter((other) => Math.abs(at(other) - y + height) < 1)),
      ArrowLeft: () => beside[beside.indexOf(part) - 1],
      ArrowRight: () => beside[beside.indexOf(part) + 1],
    };
    if (event.key === "Enter") { zoomTo(frame, part.dataset.id); event.preventDefault(); }
    if (event.key === "Escape") zoomTo(frame, undefined);
    if (moves[event.key]) {
      event.preventDefault();
      const next = moves[event.key]();
      if (next) choose(frame, next, true);
    }
  });

  // --- traces
  all("[data-trace]").forEach((trace) => {
    const steps = all("[data-steps] > li", trace), slider = one("[data-slider]", trace), essential = one("[data-essential]", trace);
    const values = one("[data-values]", trace), position = one("[data-position]", trace);
    const cursor = one("[data-cursor]", trace.parentElement), lanes = cursor && cursor.closest("svg");
    if (!steps.length) return;
    let now = steps.length - 1;
    const hide = () => {
      const folds = new Map();  // by thread: the depth below which steps are folded away
      for (const step of steps) {
        const thread = step.dataset.thread, depth = Number(step.dataset.depth);
        if (folds.has(thread) && depth <= folds.get(thread)) folds.delete(thread);
        const minor = essential && essential.checked && step.classList.contains("minor");
        step.classList.toggle("hidden", minor || folds.has(thread));
        if (step.classList.contains("folded") && !folds.has(thread)) folds.set(thread, depth);
      }
    };
    const shown = (step) => !step.classList.contains("hidden");
    function go(to) {
      now = Math.max(0, Math.min(steps.length - 1, to));
      steps.forEach((step, at) => step.classList.toggle("now", at === now));
      const known = new Map();
      for (let at = 0; at <= now; at += 1) {
        for (const [name, value] of Object.entries(JSON.parse(steps[at].dataset.set || "{}"))) known.set(name, [value, at === now]);
      }
      values.replaceChildren(...[...known].reverse().sort((a, b) => b[1][1] - a[1][1]).slice(0, 200).flatMap(([name, [value, changed]]) => {
        const term = document.createElement("dt"), what = document.createElement("dd");
        term.textContent = name;
        what.textContent = value;
        if (changed) [term, what].forEach((element) => element.classList.add("changed"));
        return [term, what];
      }));
      all(".source li.now", trace).forEach((line) => line.classList.remove("now"));
      const line = steps[now].dataset.line && document.getElementById(steps[now].dataset.line);
      if (line) line.classList.add("now");
      see();
      slider.value = now;
      if (cursor) cursor.setAttribute("x", 100 * now / Number(cursor.dataset.cursor) + "%");
      position.textContent = `step ${now + 1} of ${steps.length}`;
    }
    function see() {
      const line = one(".source li.now", trace);
      if (line) center(line, line.closest(".source"));
      center(steps[now], steps[now].parentElement);
    }
    function center(element, frame) {
      const inside = element.getBoundingClientRect(), around = frame.getBoundingClientRect();
      if (inside.top < around.top || inside.bottom > around.bottom) {
        frame.scrollTop += inside.top - around.top - around.height / 2;
      }
    }
    function move(by) {
      let to = now + by;
      while (to > 0 && to < steps.length - 1 && !shown(steps[to])) to += by;
      go(to);
    }
    function fold(step) {
      if (step.dataset.call !== undefined) { step.classList.toggle("folded"); hide(); }
    }
    steps.forEach((step, at) => step.addEventListener("click", () => {
      if (at === now) fold(step);
      go(at);
    }));
    steps[0].parentElement.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); fold(steps[now]); }
    });
    addEventListener("resize", see);
    if (lanes) lanes.addEventListener("click", (event) => {
      const area = lanes.getBoundingClientRect();
      go(Math.floor((event.clientX - area.left) / area.width * Number(cursor.dataset.cursor)));
    });
    all("[data-step]", trace).forEach((button) => button.addEventListener("click", () => move(Number(button.dataset.step))));
    slider.addEventListener("input", () => go(Number(slider.value)));
    if (essential) essential.addEventListener("change", hide);
    one("[data-fold-all]", trace).addEventListener("click", (event) => {
      const calls = steps.filter((step) => step.dataset.call !== undefined && Number(step.dataset.depth) > 0 || step.dataset.call !== undefined && steps.indexOf(step) > 1);
      const fold = !calls.some((step) => step.classList.contains("folded"));
      calls.forEach((step) => step.classList.toggle("folded", fold));
      event.target.textContent = fold ? "unfold all calls" : "fold all calls";
      hide();
    });
    document.addEventListener("keydown", (event) => {
      if (event.target.matches("textarea, select, input:not([type=range]):not([type=checkbox])") || event.target.closest("svg.part")) return;
      const keys = { ArrowDown: 1, ArrowRight: 1, j: 1, ArrowUp: -1, ArrowLeft: -1, k: -1 };
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (keys[event.key]) { event.preventDefault(); move(keys[event.key]); }
      if (event.key === "Home") { event.preventDefault(); go(0); }
      if (event.key === "End") { event.preventDefault(); go(steps.length - 1); }
    });
    hide();
    const first = steps.findIndex((step) => step.classList.contains("kind-violation"));
    go(first >= 0 ? first : steps.length - 1);
  });

  // --- tables
  const cell = (row, at) => (row.cells[at] ? row.cells[at].textContent.trim() : "");
  const scale = { k: 1e3, M: 1e6, G: 1e9 };
  const value = (text) => {
    const found = /^(-?[\d,.]+)\s*([kMG]?)/.exec(text);
    return found ? parseFloat(found[1].replace(/,/g, "")) * (scale[found[2]] || 1) : NaN;
  };
  function sort(head, down = head.getAttribute("aria-sort") === "ascending") {
    const body = head.closest("table").tBodies[0], at = head.cellIndex;
    all("th", head.parentElement).forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = Array.from(body.rows).sort((a, b) => {
      const x = cell(a, at), y = cell(b, at), p = value(x), q = value(y);
      return (Number.isNaN(p) || Number.isNaN(q) ? x.localeCompare(y) : p - q) * (down ? -1 : 1);
    });
    body.append(...rows);
  }
  const headOf = (event) => event.target.closest && event.target.closest("table[data-sortable] thead th");
  document.addEventListener("click", (event) => { if (headOf(event)) sort(headOf(event)); });
  document.addEventListener("keydown", (event) => {
    if (headOf(event) && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); sort(headOf(event)); }
  });

  // --- what can be done with so many boxes only
  function enable() {
    all("button[data-needs]").forEach((button) => {
      const number = all("input[type=checkbox]:checked", button.closest("form")).length;
      button.disabled = !button.dataset.needs.split(" ").includes(String(number));
    });
  }
  document.addEventListener("change", enable);
  addEventListener("pageshow", enable);

  // --- filters of a table, which is in the element that they name
  const filter = (input) => {
    const id = input.dataset.filterText, rows = all("tbody tr", document.getElementById(id));
    const select = one(`[data-filter-status="${id}"]`), count = one(`[data-filter-count="${id}"]`);
    const update = () => {
      const words = input.value.toLowerCase().split(/\s+/), status = select ? select.value : "";
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        const cells = select && select.dataset.filterIn ? all(select.dataset.filterIn, row) : Array.from(row.cells);
        const isOne = !status || cells.some((each) => each.textContent.trim().replace(/^\S /, "") === status);
        row.hidden = !(words.every((word) => text.includes(word)) && isOne);
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = `${shown} of ${rows.length}`;
    };
    [input, select].forEach((each) => each && each.addEventListener("input", update));
    update();
  };
  all("[data-filter-text]").forEach(filter);

  // --- news of what the page shows
  function replace(place, html) {  // what was open stays open, what was scrolled stays where it is
    const open = new Set(all("details[open] > summary", place).map((summary) => summary.textContent));
    const scrolled = all(".scroll, .lanes-frame", place).map((frame) => [frame.scrollLeft, frame.scrollTop]);
    const active = place.contains(document.activeElement) ? document.activeElement : null;
    const heads = () => all("table[data-sortable] thead th", place), focused = heads().indexOf(active);
    const sorted = heads().map((head, at) => [at, head.getAttribute("aria-sort")]).filter(([, order]) => order);
    const filters = () => all("[data-filter-text], [data-filter-status]", place), filtered = filters().map((each) => each.value);
    const moments = () => all("[data-moment]", place), moved = moments().map((each) => each.value);
    const at = filters().indexOf(active), slider = moments().indexOf(active), part = active && active.dataset.id, name = active && active.name, value = active && active.value;
    place.innerHTML = html;
    sorted.forEach(([at, order]) => { if (heads()[at]) sort(heads()[at], order === "descending"); });
    if (heads()[focused]) heads()[focused].focus({ preventScroll: true });
    all("details > summary", place).forEach((summary) => { if (open.has(summary.textContent)) summary.parentElement.open = true; });
    all(".scroll, .lanes-frame", place).forEach((frame, at) => { if (scrolled[at]) [frame.scrollLeft, frame.scrollTop] = scrolled[at]; });
    filters().forEach((each, number) => { each.value = filtered[number] || ""; });
    all("[data-filter-text]", place).forEach(filter);
    if (filters()[at]) filters()[at].focus({ preventScroll: true });
    moments().forEach((each, number) => {
      if (moved[number] === undefined || moved[number] === each.max) return;
      each.value = moved[number];
      each.dispatchEvent(new Event("input", { bubbles: true }));
    });
    if (moments()[slider]) moments()[slider].focus({ preventScroll: true });
    const again = part !== undefined && part !== null ? all("svg.part", place).find((other) => other.dataset.id === part)
      : name ? all("input, select", place).find((other) => other.name === name && other.value === value) : null;
    if (again) again.focus({ preventScroll: true });
  }
  const live = document.body.dataset.live;
  if (live && window.EventSource) {
    const status = one("[data-link]");
    const source = new EventSource(live);
    let held = false, latest = null;  // a press on what is replaced before the release would be no click
    addEventListener("pointerdown", () => { held = true; });
    ["pointerup", "pointercancel", "dragend"].forEach((name) => addEventListener(name, () => setTimeout(() => {
      held = false;
      if (latest) { show(latest); latest = null; }
    })));
    source.addEventListener("news", (event) => {
      if (held) latest = { ...latest, ...JSON.parse(event.data) };
      else show(JSON.parse(event.data));
    });
    function show(news) {
      const checked = new Set(all("input[name=run]:checked, input[name=batch]:checked").map((box) => box.value));
      for (const [id, html] of Object.entries(news)) {
        const place = document.getElementById(id);
        if (place) replace(place, html);
      }
      all("input[name=run], input[name=batch]").forEach((box) => { box.checked = checked.has(box.value); });
      enable();
      restore();
      if (status) status.textContent = " · live";
    }
    source.addEventListener("end", () => {
      source.close();
      if (status) status.textContent = "";
      if (one("[data-reload]")) location.reload();
    });
    source.addEventListener("error", () => { if (status) status.textContent = " · the server does not answer"; });
  }

  // --- the form
  all("[data-engine-choice]").forEach((select) => {
    const update = () => all("[data-engine-options]").forEach((group) => {
      const names = group.dataset.engineOptions.split(" ");
      group.hidden = select.value !== "auto" && !names.includes(select.value);
    });
    select.addEventListener("change", update);
    update();
  });
})();
