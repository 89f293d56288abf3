"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  };

  // A form is the number of its modifiers; these are the fields of that number.
  const fields = (number) => {
    const flag = number % 2;
    const limits = Math.floor(number / 2) % data.limits.length;
    const high = Math.floor(number / 2 / data.limits.length);
    return { flag, limits, ftz: high % 2, rounding: Math.floor(high / 2) };
  };
  const opcode = (pair, number) => {
    const { flag, limits, ftz, rounding } = fields(number);
    return "cvt" + (pair.pack ? ".pack" : "") + (rounding ? "." + data.roundings[rounding] : "") + (ftz ? ".ftz" : "") +
      data.limits[limits] + (flag && !pair.pack ? ".scaled::n2::ue8m0" : "") + "." + pair.dst + "." + pair.src +
      (flag && pair.pack ? ".b32" : "");
  };
  const weight = (number) => {
    const { flag, limits, ftz } = fields(number);
    return flag + ftz + (limits === 0 ? 0 : limits === 4 ? 2 : 1);
  };

  // Rows say for how many targets in a row a cell holds.
  const spread = data.rows.map((row) => {
    const cells = [];
    for (let i = 2; i < row.length; i += 2) for (let n = 0; n < row[i + 1]; n++) cells.push(row[i]);
    return { target: data.texts[row[0]], version: data.texts[row[1]], cells };
  });
  const pairs = new Map();
  const formsByName = new Map();
  for (const pair of data.pairs) {
    pair.list = [];
    for (let i = 0; i < pair.forms.length; i += 3) {
      const form = {
        pair, number: pair.forms[i], row: spread[pair.forms[i + 1]], operands: pair.operands[pair.forms[i + 2]],
        name: opcode(pair, pair.forms[i]),
      };
      pair.list.push(form);
      formsByName.set(form.name, form);
    }
    pairs.set((pair.pack ? "pack." : "") + pair.dst + "." + pair.src, pair);
  }
  // Messages are kept without the names of form, types, target and rounding.
  const filled = (text, form, target) => {
    const { dst, src } = form.pair;
    const names = ["", form.name, `.${dst}.${src}`, data.targets[target], data.roundings[fields(form.number).rounding], dst, src];
    return data.texts[text].replace(/[\u0001-\u0006]/g, (mark) => names[mark.charCodeAt(0)]);
  };
  const cellOf = (form, target) => {
    const [legal, ...rest] = data.cells[form.row.cells[target]];
    if (!legal) return { legal: false, reasons: () => rest.map((text) => filled(text, form, target)), same: "illegal" };
    const [version, sass, rule, path, ...warnings] = rest;
    return {
      legal: true, version: data.texts[version], sass: data.texts[sass].split("\n"), rule: data.rules[rule],
      path: data.paths[path], warnings: () => warnings.map((text) => filled(text, form, target)), same: data.texts[sass],
    };
  };

  const scalars = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64"];
  const viewOf = (pair) =>
    pair.pack ? "pack" : scalars.includes(pair.dst) && scalars.includes(pair.src) ? "scalar" : "packed";
  const unique = (list) => [...new Set(list)];

  const state = { a: 0, b: -1, view: "scalar", dst: "", src: "", rounding: "", limits: "", ftz: "", form: null };

  const candidates = (pair) => pair.list.filter(({ number }) => {
    const { rounding, limits, ftz } = fields(number);
    return (state.rounding === "" || Number(state.rounding) === rounding) &&
      (state.limits === "" || Number(state.limits) === limits) && (state.ftz === "" || Number(state.ftz) === ftz);
  });
  // The form that stands for a pair: a legal one, with as few modifiers as can be.
  const best = (pair) => {
    let found = null, least = Infinity;
    for (const form of candidates(pair)) {
      const illegal = (target) => target >= 0 && !cellOf(form, target).legal;
      const score = (illegal(state.a) ? 1e6 : 0) + (illegal(state.b) ? 1e5 : 0) + weight(form.number) * 1e3 + form.number;
      if (score < least) { least = score; found = form; }
    }
    return found;
  };

  const mnemonic = (cell) => {
    if (!cell.legal) return "·";
    if (cell.path[0] === "free") return "none";
    const names = cell.sass.map((line) => line.replace(/^@!?\S+ /, "").split(/[ .]/)[0]);
    const conversion = names.find((name) => /^(F2|I2|FRND)/.test(name));
    return (conversion || names[0]) + (names.length > 1 ? " +" + (names.length - 1) : "");
  };

  const options = (select, list) => {
    select.replaceChildren(...list.map(([value, text]) => make("option", { value }, text)));
  };

  const drawGrid = () => {
    const shown = data.pairs.filter((pair) => viewOf(pair) === state.view);
    const rank = (name) => { const i = scalars.indexOf(name); return i < 0 ? 100 : i; };
    const order = (names) => unique(names).map((n, i) => [n, i]).sort((x, y) => rank(x[0]) - rank(y[0]) || x[1] - y[1])
      .map(([n]) => n);
    const allDst = order(shown.map((pair) => pair.dst)), allSrc = order(shown.map((pair) => pair.src));
    if (!allDst.includes(state.dst)) state.dst = "";
    if (!allSrc.includes(state.src)) state.src = "";
    options($("dst"), [["", "all"], ...allDst.map((name) => [name, name])]);
    options($("src"), [["", "all"], ...allSrc.map((name) => [name, name])]);
    $("dst").value = state.dst;
    $("src").value = state.src;
    const dsts = state.dst ? [state.dst] : allDst, srcs = state.src ? [state.src] : allSrc;
    const head = make("tr", { role: "row" }, make("th", { role: "columnheader", scope: "col" }, "to \\ from"),
      ...srcs.map((name) => make("th", { role: "columnheader", scope: "col" }, name)));
    let counted = 0, differing = 0;
    const body = dsts.map((dst) => make("tr", { role: "row" }, make("th", { role: "rowheader", scope: "row" }, dst),
      ...srcs.map((src) => {
        const pair = pairs.get((state.view === "pack" ? "pack." : "") + dst + "." + src);
        const form = pair && best(pair);
        if (!form) {
          return make("td", { role: "gridcell", tabindex: "-1", class: "none", "aria-label": `no form to ${dst} from ${src}` });
        }
        const a = cellOf(form, state.a), b = state.b < 0 ? null : cellOf(form, state.b);
        const differs = b !== null && a.same !== b.same;
        if (a.legal || (b && b.legal)) counted += 1;
        if (differs) differing += 1;
        const words = (cell) => cell.legal ? cell.sass.join("; ") : "illegal";
        const label = `${form.name}: ${words(a)}` +
          (differs ? `; differs on ${data.targets[state.b]}: ${words(b)}` : "");
        const td = make("td", {
          role: "gridcell", tabindex: "-1", "aria-label": label, title: label, class: a.legal ? a.path[0] : "illegal",
          "aria-selected": String(state.form !== null && state.form.pair === pair),
        }, make("span", {}, mnemonic(a)));
        if (differs) td.append(make("span", { class: "differs" }, "≠ " + mnemonic(b)));
        td.form = form;
        return td;
      })));
    $("grid").replaceChildren(make("thead", {}, head), make("tbody", {}, ...body));
    const names = data.targets[state.a] + (state.b < 0 ? "" : " against " + data.targets[state.b]);
    $("grid-title").textContent = `${names}: ${counted} pairs of types` + (state.b < 0 ? "" : `, ${differing} differ`);
    const cells = [...$("grid").querySelectorAll("td")];
    const start = cells.find((td) => td.getAttribute("aria-selected") === "true") || cells[0];
    if (start) start.tabIndex = 0;
  };

  const outcome = (cell) => {
    if (!cell.legal) {
      return [make("p", {}, make("strong", {}, "Illegal")), make("ul", {},
        ...cell.reasons().map((text) => make("li", { class: text.startsWith("→") ? "help" : null }, text)))];
    }
    const [number, name, title, why] = cell.rule;
    const parts = [make("pre", { class: cell.path[0] }, cell.sass.join("\n")), make("dl", {},
      make("dt", {}, "Work"), make("dd", {}, cell.path[1] + (cell.sass.length > 1 ? `, ${cell.sass.length} instructions` : "")),
      make("dt", {}, "Rule"), make("dd", {}, `${number} ${name}: ${title}`),
      make("dt", {}, "Why"), make("dd", {}, why),
      make("dt", {}, "Since"), make("dd", {}, `.version ${cell.version} on this target`))];
    return parts.concat(cell.warnings().map((text) => make("p", { class: "warning" }, text)));
  };

  // Neighbouring targets that do the same are one line.
  const everywhere = (form) => {
    const groups = [];
    data.targets.forEach((target, index) => {
      const cell = cellOf(form, index), known = groups.find((group) => group.cell.same === cell.same);
      if (known) known.targets.push(target); else groups.push({ cell, targets: [target] });
    });
    return make("dl", {}, ...groups.flatMap(({ cell, targets }) => [
      make("dd", {}, make("code", {}, cell.legal ? cell.sass.join("; ") : "illegal")),
      make("dd", {}, targets.length === data.targets.length ? "all targets" : targets.join(", ")),
    ]));
  };

  const variants = (form) => {
    const rows = form.pair.list.filter((other) => other === form || cellOf(other, state.a).legal ||
      (state.b >= 0 && cellOf(other, state.b).legal));
    return make("table", { class: "variants" }, make("tbody", {}, ...rows.map((other) => {
      const a = cellOf(other, state.a), b = state.b < 0 ? a : cellOf(other, state.b);
      const button = make("button", { type: "button" }, other.name);
      button.addEventListener("click", () => { state.form = other; update(); $("form-title").focus(); });
      return make("tr", { "aria-current": other === form ? "true" : null }, make("td", {}, button),
        make("td", { class: a.legal ? a.path[0] : "illegal" }, mnemonic(a),
          a.same === b.same ? null : make("span", { class: "differs" }, " ≠ " + mnemonic(b))));
    })));
  };

  const drawDetail = () => {
    const form = state.form;
    $("detail").hidden = form === null;
    document.body.classList.toggle("open", form !== null);
    if (form === null) return;
    $("form-title").textContent = form.name;
    const a = cellOf(form, state.a), b = state.b < 0 ? null : cellOf(form, state.b);
    const first = form.row.target === "" ? "Legal on no target."
      : form.row.target === "any" ? `Legal on every target, from .version ${form.row.version} on.`
        : `Legal from ${form.row.target} and .version ${form.row.version} on.`;
    const parts = [make("pre", { class: "ptx" }, `${form.name} ${form.operands};`), make("p", {}, first),
      make("h3", {}, data.targets[state.a]), ...outcome(a)];
    if (b !== null) {
      // Two targets may refuse a form for different reasons.
      const same = a.same === b.same && (a.legal || a.reasons().join() === b.reasons().join());
      parts.push(make("h3", { class: a.same === b.same ? null : "differs" },
        data.targets[state.b] + (same ? ": the same" : a.same === b.same ? "" : " ≠")), ...(same ? [] : outcome(b)));
    }
    parts.push(make("h3", {}, "Legal forms of these types"), variants(form));
    if (data.targets.length > 1) parts.push(make("h3", {}, "On every target"), everywhere(form));
    $("explanation").replaceChildren(...parts);
    $("detail").scrollTop = 0;
  };

  const remember = () => {
    const parts = new URLSearchParams();
    parts.set("a", data.targets[state.a]);
    if (state.b >= 0) parts.set("b", data.targets[state.b]);
    for (const key of ["view", "dst", "src", "ftz"]) if (state[key] !== "") parts.set(key, state[key]);
    if (state.rounding !== "") parts.set("rounding", data.roundings[state.rounding] || "none");
    if (state.limits !== "") parts.set("limits", data.limits[state.limits].slice(1) || "none");
    if (state.form) parts.set("form", state.form.name);
    history.replaceState(null, "", "#" + parts);
  };
  const recall = () => {
    const parts = new URLSearchParams(location.hash.slice(1));
    const index = (list, name, none) => { const i = list.indexOf(name); return i < 0 ? none : i; };
    const usual = ["sm_89", "sm_90"].map((name) => data.targets.indexOf(name)).find((i) => i >= 0) || 0;
    state.a = index(data.targets, parts.get("a"), usual);
    state.b = index(data.targets, parts.get("b"), -1);
    const first = unique(data.pairs.map(viewOf));
    state.view = first.includes(parts.get("view")) ? parts.get("view") : first.includes("scalar") ? "scalar" : first[0];
    for (const key of ["dst", "src", "ftz"]) state[key] = parts.get(key) || "";
    const name = (text) => text === "none" ? "" : text;
    const numbered = (list, text) => text === null ? "" : String(index(list, name(text), ""));
    state.rounding = numbered(data.roundings, parts.get("rounding"));
    state.limits = numbered(data.limits.map((text) => text.slice(1)), parts.get("limits"));
    state.form = formsByName.get(parts.get("form")) || null;
    if (state.form && !parts.has("view")) state.view = viewOf(state.form.pair);
  };
  const update = () => {
    drawGrid();
    drawDetail();
    $("a").value = String(state.a);
    $("b").value = String(state.b);
    for (const key of ["view", "rounding", "limits", "ftz"]) $(key).value = state[key];
    remember();
  };

  const open = (td, focus) => {
    if (!td || !td.form) return;
    const at = position(td);
    state.form = td.form;
    update();
    if (focus) $("form-title").focus(); else cellAt(at.row, at.column).focus();
  };
  const rowsOf = () => [...$("grid").tBodies[0].rows];
  const position = (td) => ({ row: rowsOf().indexOf(td.parentElement), column: td.cellIndex - 1 });
  const cellAt = (row, column) => rowsOf()[row].cells[column + 1];
  const move = (td, row, column) => {
    const rows = rowsOf(), clamp = (value, last) => Math.max(0, Math.min(value, last));
    const to = cellAt(clamp(row, rows.length - 1), clamp(column, rows[0].cells.length - 2));
    td.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  };
  $("grid").addEventListener("click", (event) => open(event.target.closest("td"), false));
  $("grid").addEventListener("keydown", (event) => {
    const td = event.target.closest("td");
    if (!td || event.altKey || event.metaKey) return;
    const { row, column } = position(td);
    const far = 1e6, control = event.ctrlKey;
    const steps = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
      Home: [control ? 0 : row, 0], End: [control ? far : row, far], PageUp: [0, column], PageDown: [far, column],
    };
    if (steps[event.key]) move(td, ...steps[event.key]);
    else if (event.key === "Enter" || event.key === " ") open(td, true);
    else return;
    event.preventDefault();
  });
  const close = () => {
    if (state.form === null) return;
    state.form = null;
    const at = [...$("grid").querySelectorAll("td")].findIndex((td) => td.tabIndex === 0);
    update();
    const cells = $("grid").querySelectorAll("td");
    const td = cells[Math.max(at, 0)];
    if (td) { cells.forEach((other) => { other.tabIndex = -1; }); td.tabIndex = 0; td.focus(); }
  };
  $("close").addEventListener("click", close);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  $("choice").addEventListener("submit", (event) => event.preventDefault());
  $("choice").addEventListener("change", (event) => {
    const { id, value } = event.target;
    state[id] = id === "a" || id === "b" ? Number(value) : value;
    if (id === "view") { state.dst = ""; state.src = ""; state.form = null; }
    if (state.dst && state.src && (id === "dst" || id === "src")) {
      const pair = pairs.get((state.view === "pack" ? "pack." : "") + state.dst + "." + state.src);
      state.form = pair ? best(pair) : null;
    } else if (state.form && ["rounding", "limits", "ftz"].includes(id)) {
      state.form = best(state.form.pair) || state.form;
    }
    update();
  });
  window.addEventListener("hashchange", () => { recall(); update(); });

  $("source").textContent = `${data.reference}, printed by ${data.producer}`;
  const targets = data.targets.map((name, index) => [index, name]);
  options($("a"), targets);
  options($("b"), [[-1, "none"], ...targets]);
  options($("rounding"), [["", "any"], ...data.roundings.map((name, i) => [i, name ? "." + name : "none"])]);
  options($("limits"), [["", "any"], ...data.limits.map((name, i) => [i, name || "none"])]);
  $("legend").replaceChildren(...data.paths.map(([name, text]) => make("span", {}, make("i", { class: name }), text)),
    make("span", {}, "· illegal"), make("span", { class: "differs" }, "≠ differs"));
  recall();
  update();
})();
