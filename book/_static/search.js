// An entry of the index is an empty anchor. Sphinx 7.4 asks for the text there, finds none, and stops with an error
// in place of a summary. Where an anchor has no text the summary is of the whole page.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return; // this page is not the search
  const textAt = Search.htmlToText;
  Search.htmlToText = (html, anchor) => textAt(html, anchor) || textAt(html);
});
