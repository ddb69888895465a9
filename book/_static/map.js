// The map of the book: point at a chapter, or come to it with the keyboard, and all that it needs stands out.
"use strict";
addEventListener("DOMContentLoaded", () => {
  for (const map of document.querySelectorAll("svg.book-map")) {
    const choose = (event) => {
      const box = event.target.closest("a[data-all]");
      const all = new Set(box ? [...box.dataset.all.split(" "), box.dataset.chapter] : []);
      map.classList.toggle("chosen", Boolean(box));
      for (const a of map.querySelectorAll("a")) a.classList.toggle("needed", all.has(a.dataset.chapter));
      for (const path of map.querySelectorAll("path.needs")) path.classList.toggle("needed", all.has(path.dataset.to));
    };
    for (const kind of ["pointerover", "focusin"]) map.addEventListener(kind, choose);
    for (const kind of ["pointerleave", "focusout"]) map.addEventListener(kind, () => choose({ target: map }));
  }
});
