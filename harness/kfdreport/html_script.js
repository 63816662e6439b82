
"use strict";
(() => {
  const words = document.getElementById("words");
  const verdict = document.getElementById("verdict");
  const matches = document.getElementById("matches");
  const items = Array.from(document.querySelectorAll(".f"));
  const groups = Array.from(document.querySelectorAll(".g"));
  const sections = Array.from(document.querySelectorAll("main section"))
    .filter((section) => section.querySelector(".f") !== null);
  const wasOpen = new Map();
  let texts = null;
  let filtering = false;

  // Texts are gathered when somebody first asks for them.
  const textOf = (index) => {
    texts ??= items.map((item) => {
      const suite = item.closest(".tests") ? item.closest(".g").querySelector("b").textContent + "." : "";
      return (suite + item.textContent + " " + (item.dataset.r ?? "")).toLowerCase();
    });
    return texts[index];
  };

  const apply = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const kind = verdict.value;
    const all = wanted.length === 0 ? kind === "" : false;
    if (!filtering) {
      for (const group of groups) wasOpen.set(group, group.open);
    }
    filtering = !all;
    const kept = new Set();
    let count = 0;
    items.forEach((item, index) => {
      const right = kind === "" ? true : item.dataset.v === kind;
      const shown = all ? true : right ? wanted.every((word) => textOf(index).includes(word)) : false;
      item.hidden = !shown;
      if (!shown) return;
      count += 1;
      for (let up = item.parentElement; up !== null; up = up.parentElement) {
        if (kept.has(up)) break;
        kept.add(up);
      }
    });
    for (const group of groups) {
      group.hidden = !kept.has(group);
      group.open = all ? wasOpen.get(group) : kept.has(group);
    }
    for (const section of sections) section.hidden = !kept.has(section);
    matches.textContent = all ? "" : count + " of " + items.length + " entries";
  };

  // A link leads to what may be folded or filtered away.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target === null) return;
    if (target.closest("[hidden]") !== null) {
      words.value = "";
      verdict.value = "";
      apply();
    }
    for (let up = target; up !== null; up = up.parentElement) {
      if (up.tagName === "DETAILS") up.open = true;
    }
    target.scrollIntoView();
  };

  document.getElementById("filter").hidden = false;
  words.addEventListener("input", apply);
  verdict.addEventListener("change", apply);
  window.addEventListener("hashchange", reveal);
  if (location.hash !== "") reveal();
  if (words.value + verdict.value !== "") apply();
})();
