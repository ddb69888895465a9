// A quiz: a sentence on each choice, for eyes and for screen readers. Nothing is stored or sent.
"use strict";
addEventListener("DOMContentLoaded", () => {
  const asked = [...document.querySelectorAll(".quiz")];
  const tries = new Map(); // of each question that is answered: how many options were opened until then
  let printing = false;

  function answer(question, option) {
    if (tries.has(question)) return "";
    if (!option.matches(".quiz-right")) return "Not this one. Read why, then choose again.";
    tries.set(question, question.querySelectorAll("details.quiz-tried").length);
    if (tries.size < asked.length) return "Right.";
    const first = [...tries.values()].filter((n) => n === 1).length;
    return `Right. All ${asked.length} questions are answered, ${first} of them at the first choice.`;
  }

  for (const question of asked) {
    for (const option of question.querySelectorAll("details")) {
      option.addEventListener("toggle", () => {
        if (!option.open || printing || option.matches(".quiz-tried")) return;
        option.classList.add("quiz-tried");
        const said = answer(question, option);
        if (said) question.querySelector(".quiz-said").textContent = said;
      });
    }
  }

  // On paper every explanation is open; a fold that the reader left closed is closed again afterwards.
  let closed = [];
  addEventListener("beforeprint", () => {
    printing = true;
    closed = [...document.querySelectorAll(".quiz details:not([open])")];
    for (const option of closed) option.open = true;
  });
  addEventListener("afterprint", () => {
    for (const option of closed) option.open = false;
    setTimeout(() => (printing = false)); // after the events that the lines above cause
  });
});
