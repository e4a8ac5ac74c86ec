"use strict";
// What is better with scripts: words in another order, a word found at once. Nothing is written
// that does not stand in the page already; without this the page says the same.
(() => {
  const slider = document.getElementById("step");
  if (!slider) return;  // components of vectors: there are no words
  const report = JSON.parse(document.getElementById("report").textContent);
  const shown = 10;

  // Relevance of a word at a step between its lift (0) and its frequency (1).
  const relevance = (word, step) => {
    const probability = Math.log(word.probability);
    return probability - (1 - step) * Math.log(word.corpus_share);
  };

  // The rows of a card stand in the order of its words in the report, once and for all.
  const cards = report.topics.map((topic) => {
    const body = document.querySelector(`#t${topic.number} tbody`);
    return { body, rows: Array.from(body.rows), words: topic.words || [] };
  });

  const order = (step) => {
    for (const { body, rows, words } of cards) {
      const places = words.map((word, i) => i);
      places.sort((a, b) => relevance(words[b], step) - relevance(words[a], step) || a - b);
      places.forEach((place, i) => {
        rows[place].hidden = i >= shown;
        body.append(rows[place]);
      });
    }
  };

  slider.addEventListener("input", () => {
    document.getElementById("step-shown").value = Number(slider.value).toFixed(1);
    order(Number(slider.value));
  });
  document.getElementById("order").hidden = false;

  const index = document.getElementById("index");
  const entries = Array.from(index.querySelectorAll("li"),
    (item) => ({ item, word: item.querySelector("b").textContent.toLowerCase() }));
  const field = document.getElementById("word");
  const search = () => {
    const wanted = field.value.trim().toLowerCase();
    let found = 0;
    for (const { item, word } of entries) {
      item.hidden = wanted !== "" && !word.includes(wanted);
      if (!item.hidden) found += 1;
    }
    index.open = wanted !== "";
    document.getElementById("found").value =
      wanted === "" ? "" : found === 0 ? "not among the words of the cards" : `${found} found`;
  };
  field.addEventListener("input", search);
  document.getElementById("search").hidden = false;

  // A link to a card among the weak ones opens them.
  const openTarget = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    const folded = target && target.closest("details");
    if (folded) {
      folded.open = true;
      target.scrollIntoView();
    }
  };
  window.addEventListener("hashchange", openTarget);
  openTarget();
})();
