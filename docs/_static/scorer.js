// Ranks of the search: a page whose title is asked for comes first, then objects of that name, then other text.
var Scorer = {
  score: ([, title, anchor, , score]) => {
    const asked = new URLSearchParams(location.search).get("q")?.trim().toLowerCase();
    return asked && !anchor && title.toLowerCase().startsWith(asked) ? score + 30 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 3,
  objPrio: { 0: 0, 1: 0, 2: 0 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
