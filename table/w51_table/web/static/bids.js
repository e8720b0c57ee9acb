// Bids among the legal actions, without the page: which action an amount is, and which bids are asked about.

const PASS = "pass";
const TWICE = 2; // times the own bids so far: a higher one is unusual

/** Actions that differ by a number, the least number first. @param {Server.ActionGroup[]} groups */
export function numberedOf(groups) {
  const numbered = groups.filter((group) => group.choices !== undefined);
  return numbered.sort((a, b) => a.choices[0][0] - b.choices[0][0]);
}

/** The amounts that one field bids. In some games a high bid takes two actions: `first` are those that begin one. */
export class Bids {
  /** @param {Server.NumberedActions[]} groups as of `numberedOf`, one at least */
  constructor([own, first]) {
    this.own = own;
    this.first = first;
    const [[least], second] = own.choices;
    this.least = least;
    this.step = second ? second[0] - least : 1;
    this.most = Math.max(own.most, first?.most ?? 0);
  }

  /** The action for an amount, and what is left to bid after it; null if it is not possible. @param {number} amount
   * @returns {{id: number, text: string | null, rest?: number} | null} */
  find(amount) {
    const whole = this.own.choices.find(([one]) => one === amount);
    if (whole) return { id: whole[1], text: whole[2] };
    const part = this.first?.choices.findLast(([reached]) => reached < amount);
    const isOne = part && amount <= this.most && (amount - this.least) % this.step === 0;
    return isOne ? { id: part[1], text: null, rest: amount } : null;
  }
}

/**
 * Why a bid is asked about again: it is all that one has, or (if the coach would not bid as much) far above one's bids
 * so far; null if it is not.
 * @param {number} amount
 * @param {number} most
 * @param {number} usual the highest own bid so far
 * @param {() => Promise<number>} advised the bid that the coach would make
 * @returns {Promise<"ask_all" | "ask_high" | null>}
 */
export async function doubt(amount, most, usual, advised) {
  if (amount <= 1) return null;
  if (amount === most) return "ask_all";
  if (amount <= TWICE * usual || 2 * amount <= most) return null;
  return amount > await advised() ? "ask_high" : null;
}

/** The bids among groups of actions as [amount, id], the least first. @param {Server.ActionGroup[]} groups
 * @returns {[number, number][]} */
export function bidsOf(groups) {
  /** @type {[number, number][]} */
  const bids = [];
  for (const group of groups) {
    if (group.choices) for (const [amount, id] of group.choices) bids.push([amount, id]);
    else if (group.number !== null && group.kind !== PASS) bids.push([group.number, group.id]);
  }
  return bids.sort(([a], [b]) => a - b);
}

/** A standing order for one lot: the least bid that leads, up to an amount, and then a pass. */
export class Order {
  /** @type {number | null} */
  limit = null; // 0 passes at once; null: there is none

  /** A new state of the table: the order ends with its lot. @param {Server.State} state @param {boolean} isEnd */
  see(state, isEnd) {
    if (state.new || state.lots.length || isEnd) this.limit = null;
  }

  /** The action that it decides here; null if it decides nothing. It ends where no bids of an open auction are asked.
   * @param {Server.ActionGroup[]} actions @returns {number | null} */
  action(actions) {
    if (this.limit === null || !actions.length) return null;
    const pass = actions.find((group) => group.kind === PASS);
    if (pass?.id === undefined) {
      this.limit = null;
      return null;
    }
    const [[least, id]] = [...bidsOf(actions), /** @type {[number, number]} */ ([Infinity, pass.id])];
    return least <= this.limit ? id : pass.id;
  }
}
