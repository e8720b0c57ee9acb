// Ranks of the search: a page whose title is asked for comes before objects of that name, and these before other text.
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 3,
  objPrio: { 0: 0, 1: 0, 2: 0 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
