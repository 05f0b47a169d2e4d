// The search, and links that would cost every page too many bytes: from the fields of a drawn
// encoding and from AMD's names of operands to the vocabulary.
"use strict";
(() => {
  const root = document.currentScript.getAttribute("src").replace(/s\.js$/, "");
  const make = (tag, properties, ...children) => {
    const e = Object.assign(document.createElement(tag), properties);
    e.append(...children);
    return e;
  };

  // ---- The index ----
  let index = null;
  let waiting = [];
  // index.js calls this. Pages from file:// may load a script, but may not fetch a file.
  window.waveglassIndex = (data) => {
    const entries = data.lines.split("\n").filter(Boolean).map((line) => {
      if (line[0] === "=") {
        const [href, name, kind, ...text] = line.slice(1).split("|");
        return { href, names: [name], kind, text: text.join("|"), low: [name.toLowerCase()], lowText: text.join("|").toLowerCase(), lowGroup: kind };
      }
      const [names, group, ...text] = line.split("|");
      const split = names.split(",").map((n) => n.split(":"));
      const mains = split.map(([, mask]) => parseInt(mask || "0", 16));
      return {
        names: split.map(([n]) => n), mains, group: data.groups[group], text: text.join("|"),
        mask: mains.reduce((a, m) => a | m, 0), low: split.map(([n]) => n),
        lowText: text.join("|").toLowerCase(), lowGroup: data.groups[group].toLowerCase(),
      };
    });
    index = { generations: data.generations, entries };
    waiting.forEach((then) => then());
    waiting = [];
  };
  const withIndex = (then) => {
    if (index) return then();
    waiting.push(then);
    if (waiting.length === 1) document.head.append(make("script", { src: root + "index.js" }));
  };

  // ---- Searching ----
  // Whether a word of the text begins with w.
  const begins = (text, w) => {
    for (let at = text.indexOf(w); at >= 0; at = text.indexOf(w, at + 1)) {
      if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1])) return true;
    }
    return false;
  };
  const stem = (w) => (w.length > 5 ? w.replace(/(ing|es|s|ed)$/, "") : w);
  const find = (query) => {
    let mask = 0;
    // Generations narrow the search: "cdna 4", "rdna3.5".
    const rest = query.toLowerCase().replace(/\b(gcn|cdna|rdna)[ -]?(\d(?:\.\d)?)(?![\w.])/g, (whole, family, number) => {
      const at = index.generations.findIndex(([key]) => key === family + number);
      if (at < 0) return whole;
      mask |= 1 << at;
      return " ";
    });
    const words = rest.split(/[^\p{L}\p{N}_.]+/u).filter(Boolean).map((w) => ({ w, stem: stem(w) }));
    if (!words.length && !mask) return null;
    const found = [];
    for (const e of index.entries) {
      if (mask && (e.kind || (e.mask & mask) !== mask)) continue;
      let score = e.kind === "question" ? -4 : 0;
      for (const { w, stem } of words) {
        let best = 0;
        for (const n of e.low) {
          if (n === w) best = 100;
          else if (best < 30 && n.split("_").includes(w)) best = 30;
          else if (best < 20 && n.includes(w)) best = 20;
        }
        if (best < 12) {
          if (begins(e.lowText, stem)) best = 12;
          else if (begins(e.lowGroup, stem)) best = 8;
        }
        if (!best) { score = -1e9; break; }
        score += best;
      }
      if (score > -1e8) found.push([score, e]);
    }
    found.sort((a, b) => b[0] - a[0] || a[1].names[0].length - b[1].names[0].length || (a[1].names[0] < b[1].names[0] ? -1 : 1));
    return { found: found.map(([, e]) => e), mask };
  };

  // ---- Results ----
  const SHOWN = 30;
  const here = (location.pathname.match(/\/([a-z]+[\d.]+)\/[^/]*$/) || [])[1];
  const pageOf = (e, g) => {
    const at = e.mains.findIndex((m) => (m >> g) & 1);
    return at < 0 ? null : [e.names[at], root + index.generations[g][0] + "/" + e.names[at] + ".html"];
  };
  const result = (e, mask) => {
    if (e.kind) {
      return make("li", {}, make("b", { className: "k" }, make("a", { href: root + e.href }, e.names[0])), make("small", {}, e.kind + (e.text ? ": " + e.text : "")));
    }
    const of = index.generations.map((_, g) => pageOf(e, g));
    const own = index.generations.findIndex(([key]) => key === here);
    const wanted = mask ? 31 - Math.clz32(mask) : own;
    const [name, href] = of[wanted] || of.findLast(Boolean) || ["", "#"];
    const others = e.names.filter((n) => n !== name);
    const links = of.flatMap((p, g) => (p ? [make("a", { href: p[1] }, index.generations[g][1]), " "] : []));
    return make("li", {},
      make("b", {}, make("a", { href }, name)), others.length ? " " + others.join(", ") : "",
      make("div", {}, e.text), make("small", {}, ...links));
  };
  const search = (input, box) => {
    if (!input.value.trim()) return box.replaceChildren();
    withIndex(() => {
      const start = performance.now();
      const answer = find(input.value);
      if (!answer) return box.replaceChildren();
      const { found, mask } = answer;
      const count = found.length === 0 ? "Nothing has all these words." : found.length === 1 ? "One found." : found.length + " found" + (found.length > SHOWN ? "; the first " + SHOWN + ":" : ".");
      box.replaceChildren(make("p", {}, count), make("ol", {}, ...found.slice(0, SHOWN).map((e) => result(e, mask))));
      box.dataset.ms = (performance.now() - start).toFixed(2);
    });
  };
  const form = () => {
    const input = make("input", { type: "search", placeholder: "Search: a name, or what it does", autocomplete: "off", spellcheck: false });
    input.setAttribute("aria-label", "Search the reference");
    const f = make("form", { className: "q" }, input);
    f.setAttribute("role", "search");
    const box = make("div", { className: "r" });
    box.setAttribute("aria-live", "polite");
    input.addEventListener("focus", () => withIndex(() => {}));
    input.addEventListener("input", () => search(input, box));
    f.addEventListener("submit", (event) => {
      event.preventDefault();
      box.querySelector("a")?.click();
    });
    const keys = (event) => {
      const links = [...box.querySelectorAll("b a")];
      const at = links.indexOf(document.activeElement);
      if (event.key === "Escape") {
        box.replaceChildren();
        input.focus();
      } else if (event.key === "ArrowDown" && links[at + 1]) {
        links[at + 1].focus();
        event.preventDefault();
      } else if (event.key === "ArrowUp" && at >= 0) {
        (links[at - 1] || input).focus();
        event.preventDefault();
      }
    };
    f.addEventListener("keydown", keys);
    box.addEventListener("keydown", keys);
    return { f, box, input };
  };

  const front = document.getElementById("search");
  const { f, box, input } = form();
  (front || document.querySelector("nav")).append(f, box);
  if (!front) document.addEventListener("click", (e) => { if (!box.contains(e.target) && !f.contains(e.target)) box.replaceChildren(); });
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
      e.preventDefault();
      input.focus();
    }
  });
  const asked = new URLSearchParams(location.search).get("q");
  if (front && asked) {
    input.value = asked;
    search(input, box);
  }

  // ---- Links and scrolling ----
  const word = (page, name) => make("a", { href: root + "vocabulary/" + page + ".html#" + name.toLowerCase() }, name);
  for (const cell of document.querySelectorAll(".b td:not(.n)")) {
    const name = cell.firstChild;
    if (name && name.nodeType === 3) name.replaceWith(word("fields", name.data));
  }
  for (const cell of document.querySelectorAll("main td:last-child")) {
    for (const text of [...cell.childNodes].filter((n) => n.nodeType === 3 && /(OPR|FMT)_/.test(n.data))) {
      text.replaceWith(...text.data.split(/\b((?:OPR|FMT)_\w+)/).map((part, i) =>
        i % 2 ? word(part.startsWith("OPR") ? "operand-types" : "data-formats", part) : part));
    }
  }
  // What scrolls sideways can be reached and scrolled by keyboard.
  for (const w of document.querySelectorAll(".w")) {
    if (w.scrollWidth > w.clientWidth) {
      w.tabIndex = 0;
      w.setAttribute("role", "region");
      w.setAttribute("aria-label", (w.querySelector("caption") || w.previousElementSibling || w).textContent.slice(0, 60));
    }
  }
  const open = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (target && target.tagName === "DETAILS") target.open = true;
  };
  addEventListener("hashchange", open);
  open();
})();
