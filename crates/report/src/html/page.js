"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const sections = [...document.querySelectorAll(".violation")];
  const choice = document.getElementById("choice");
  const template = document.getElementById("inspector");
  // Lines of the source that are shown before and after the current one.
  const around = 300;
  let violation = 1;
  let step = 1;

  document.documentElement.classList.add("js");
  // Without the script a fragment scrolls the page to its step; with it, the timeline scrolls.
  for (const item of document.querySelectorAll(".steps [id]")) item.removeAttribute("id");
  const inspectors = sections.map((section) => {
    const work = section.querySelector(".work");
    if (!work) return null;
    work.append(template.content.cloneNode(true));
    for (const button of work.querySelectorAll("[data-go]")) {
      button.addEventListener("click", () => go(violation, moves[button.dataset.go]()));
    }
    work.querySelector(".steps").addEventListener("click", (event) => {
      const fold = event.target.closest("[data-from]");
      if (fold) unfold(fold);
      const box = event.target.closest("[data-step]");
      if (!box || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(violation, Number(box.dataset.step));
    });
    return work.querySelector(".inspector");
  });

  const boxes = sections.map((section) => [...section.querySelectorAll("[data-step]")]);
  const folded = (number) => boxes[violation - 1][number - 1]?.parentElement.classList.contains("folded");

  /** The nearest step in a direction that is not folded away; where there is none, the step itself. */
  function beyond(number, direction) {
    let next = number + direction;
    while (folded(next)) next += direction;
    return boxes[violation - 1][next - 1] ? next : number;
  }

  const moves = {
    first: () => 1,
    back: () => beyond(step, -1),
    on: () => beyond(step, 1),
    last: () => beyond(boxes[violation - 1].length + 1, -1),
  };

  /** Shows the steps that a button stands for. */
  function unfold(button) {
    const { from, to } = button.dataset;
    for (const box of boxes[violation - 1].slice(from - 1, to)) box.parentElement.classList.remove("folded");
    button.parentElement.hidden = true;
    show(data.violations[violation - 1].rows);
  }

  function element(name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function chip(thread) {
    return element("span", thread.colour === null ? "chip" : "chip c" + thread.colour, thread.name);
  }

  function place(row) {
    return row.file ? row.file + (row.line ? ":" + row.line : "") : "";
  }

  function within(number, most) {
    return Number.isNaN(number) ? 1 : Math.min(Math.max(Math.trunc(number), 1), Math.max(most, 1));
  }

  /** Shows a step; numbers beyond the ends mean the ends. */
  function go(newViolation, newStep, keepAddress) {
    if (!sections.length) return;
    violation = within(newViolation, sections.length);
    sections.forEach((section, index) => { section.hidden = index !== violation - 1; });
    if (choice) choice.value = String(violation);
    const rows = data.violations[violation - 1].rows;
    step = within(newStep, rows.length);
    fit();
    if (rows.length) show(rows);
    if (keepAddress) return;
    const fragment = sections.length > 1 ? `#violation=${violation}&step=${step}` : `#step=${step}`;
    try { history.replaceState(null, "", fragment); } catch { /* a page in a frame has no address of its own */ }
  }

  /** Lets the panes end with the window. */
  function fit() {
    const work = sections[violation - 1]?.querySelector(".work");
    work?.style.setProperty("--above", `${Math.round(work.getBoundingClientRect().top + scrollY)}px`);
  }

  function show(rows) {
    const section = sections[violation - 1];
    const inspector = inspectors[violation - 1];
    const row = rows[step - 1];
    if (folded(step)) {
      const holds = (button) => Number(button.dataset.from) <= step && step <= Number(button.dataset.to);
      unfold([...section.querySelectorAll("[data-from]")].find(holds));
      return;
    }
    for (const old of section.querySelectorAll("[aria-current=step]")) old.removeAttribute("aria-current");
    const box = boxes[violation - 1][step - 1];
    box.setAttribute("aria-current", "step");
    reveal(section.querySelector(".timeline"), box);
    const status = inspector.querySelector(".status");
    status.replaceChildren(element("b", "", `Step ${step} of ${rows.length}`), " ", chip(row.thread));
    inspector.querySelector("[data-go=first]").disabled = step === 1;
    inspector.querySelector("[data-go=back]").disabled = step === 1;
    inspector.querySelector("[data-go=on]").disabled = moves.on() === step;
    inspector.querySelector("[data-go=last]").disabled = moves.last() === step;
    showLocks(inspector.querySelector(".locks"), row);
    showValues(inspector.querySelector(".values tbody"), rows);
    const changed = inspector.querySelector(".changed");
    if (changed) reveal(changed.closest("section"), changed);
    // Last, since the panes above and below share the height with it.
    showSource(inspector.querySelector(".source"), rows, row);
  }

  /** Scrolls a pane, and nothing but the pane, until a part of it is in its middle half. */
  function reveal(pane, part) {
    const outer = pane.getBoundingClientRect();
    const inner = part.getBoundingClientRect();
    const above = inner.top - outer.top - pane.clientHeight / 5;
    const below = inner.bottom - outer.top - pane.clientHeight * 4 / 5;
    if (above < 0) pane.scrollTop += above;
    else if (below > 0) pane.scrollTop += Math.min(below, above);
    const left = inner.left - outer.left - 8;
    const right = inner.right - outer.left - pane.clientWidth + 8;
    if (left < 0) pane.scrollLeft += left;
    else if (right > 0) pane.scrollLeft += right;
  }

  function showSource(pane, rows, row) {
    const sources = data.violations[violation - 1].sources;
    const lines = Object.hasOwn(sources, row.file) ? sources[row.file] : null;
    const title = element("p", "file", place(row) || "no source");
    if (!lines || !row.line) {
      const line = element("p", "line now");
      line.append(element("span", "no", row.line || ""), element("code", "", row.source));
      pane.replaceChildren(title, line, element("p", "missing", "The source file was not found."));
      return;
    }
    // Where every thread was last seen, if that is in this file.
    const marks = new Map();
    const seen = new Map();
    for (let index = 0; index < step; index++) seen.set(rows[index].thread.name, rows[index]);
    for (const other of seen.values()) {
      if (other.file === row.file) marks.set(other.line, [...(marks.get(other.line) || []), other.thread]);
    }
    const list = element("div", "lines");
    const first = Math.max(1, row.line - around);
    const last = Math.min(lines.length, row.line + around);
    if (first > 1) list.append(element("p", "line more", "⋮"));
    for (let number = first; number <= last; number++) {
      const line = element("p", number === row.line ? "line now c" + row.thread.colour : "line");
      if (number === row.line) line.setAttribute("aria-current", "true");
      line.append(element("span", "no", number), element("code", "", lines[number - 1] || " "));
      if (marks.has(number)) {
        const here = element("span", "marks");
        here.append(...marks.get(number).map(chip));
        line.append(here);
      }
      list.append(line);
    }
    if (last < lines.length) list.append(element("p", "line more", "⋮"));
    pane.replaceChildren(title, list);
    const now = list.querySelector(".now");
    if (now) reveal(pane, now);
    pane.scrollLeft = 0;
  }

  function showLocks(list, row) {
    list.replaceChildren(...row.locks.map((lock) => {
      const item = element("li", lock.wanted.length ? "wanted" : "");
      item.append(element("code", "", lock.object), " held by ", chip(lock.owner));
      if (lock.wanted.length) item.append(", wanted by ", ...lock.wanted.flatMap((thread) => [chip(thread), " "]));
      return item;
    }));
    if (!row.locks.length) list.append(element("li", "none", "No lock is held."));
  }

  function showValues(body, rows) {
    const values = new Map();
    for (let index = 0; index < step; index++) {
      for (const [place, old, value] of rows[index].writes) {
        const now = index === step - 1;
        const before = now && values.get(place)?.now ? values.get(place).old : old;
        values.set(place, { old: before, value, now });
      }
    }
    body.replaceChildren(...[...values].map(([place, { old, value, now }]) => {
      const line = element("tr", now ? "changed" : "");
      const cell = element("td");
      if (now) cell.append(element("span", "old", old), " → ");
      cell.append(element("span", "value", value));
      const head = element("th", "", place);
      head.scope = "row";
      line.append(head, cell);
      return line;
    }));
    if (!values.size) {
      const line = element("tr", "none");
      line.append(element("td", "", "Nothing yet."));
      body.append(line);
    }
  }

  function fromAddress() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    go(Number(wanted.get("violation") ?? 1), Number(wanted.get("step") ?? 1), true);
  }

  const keys = {
    ArrowRight: "on", ArrowDown: "on", j: "on", ArrowLeft: "back", ArrowUp: "back", k: "back", Home: "first", End: "last",
  };
  document.addEventListener("keydown", (event) => {
    const next = Object.hasOwn(keys, event.key) ? moves[keys[event.key]] : null;
    if (!next || !sections.length || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("select, input")) return;
    // The source pane scrolls with the keys that scroll.
    if (event.target.closest(".source") && !/^[jk]$/.test(event.key)) return;
    event.preventDefault();
    go(violation, next());
  });
  choice?.addEventListener("change", () => go(Number(choice.value), 1));
  addEventListener("hashchange", fromAddress);
  addEventListener("resize", fit);
  fromAddress();
})();
