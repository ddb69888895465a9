// Folds that the theme calls all alike, or not at all: the button of a folded solution or answer is called what its
// title says, the one of a page with sections of its own after the page. A link to a fold opens it.
"use strict";
addEventListener("load", () => {
  for (const button of document.querySelectorAll("button.toggle-button")) {
    button.setAttribute("aria-label", button.parentElement.textContent.trim());
  }
  for (const fold of document.querySelectorAll("nav .has-children > details > summary")) {
    fold.setAttribute("aria-label", fold.closest("li").querySelector("a").textContent.trim());
  }
  const open = () => document.querySelector(":target")?.closest(".toggle-hidden.dropdown")?.querySelector("button.toggle-button")?.click();
  addEventListener("hashchange", open);
  open();
});
