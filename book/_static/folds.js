// The button on a folded solution or answer is called what its title says; the theme calls all of them alike.
"use strict";
addEventListener("load", () => {
  for (const button of document.querySelectorAll("button.toggle-button")) {
    button.setAttribute("aria-label", button.parentElement.textContent.trim());
  }
});
