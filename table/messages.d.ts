// Made by docs/generate.py from the types in w51_table/web: what the server and the page send each other.

declare namespace Server {
  /** A decision of the client's seat; null: its last one is taken back. */
  interface Act {
    type: "act";
    decision: number;
    action: number | null;
  }
  /** What the coach, or an agent, would do. */
  interface Advice {
    title: string;
    value: string;
    why: string;
    choices: ChoiceData[];
    limit: PriceCurve | null;
    whole: boolean;
    text: string;
    reasons: string[];
  }
  /** How a decision is made again: with an action agents play on after it, without one a person decides. */
  interface Again {
    action?: number | null;
  }
  /** What an agent would do if the seat knew something else. */
  interface Alternative {
    title: string;
    value: string;
    why: string;
    choices: ChoiceData[];
    limit: PriceCurve | null;
    whole: boolean;
    text: string;
  }
  /** What does the coach advise at this decision: at first sight, and unless `first` once it has played games out? */
  interface AskHint {
    type: "hint";
    decision: number;
    first?: boolean;
  }
  /** What viewers must believe at a step, and what an agent would do if its seat knew more. */
  interface Beliefs {
    names: string[];
    rows: ([string, number[]])[];
    alternatives: Alternative[];
  }
  /** Probabilities that viewers know. */
  interface Believed {
    /** Of the columns. */
    names: string[];
    /** A name, and a probability for each column. */
    rows: ([string, number[]])[];
  }
  /** What a bid is worth. */
  interface BidWorth {
    amount: number;
    chance: number;
    /** Standard error of what it is better or worse by than a pass. */
    error: number;
  }
  /** What the form of a position needs. */
  interface BlankPosition {
    words: { [name: string]: string };
    categories: { [name: string]: string };
    /** Name, and what the page calls it. */
    agents: ([string, string])[];
    /** Whose answer is there at once. */
    first: string;
    cards: { [name: string]: string };
    /** `View.table` before the first auction. */
    table: { [name: string]: any };
    /** `View.players`. */
    players: ({ [name: string]: any })[];
  }
  /** The coach has too much to do for this visitor. */
  interface Busy {
    type: "busy";
    decision: number;
    text: string;
  }
  /** The chance of each seat to win after each decision. */
  interface Chances {
    names: string[];
    chances: number[][];
    playouts: number;
    /** Who plays to the end. */
    players: string;
  }
  /** What an agent reports of one action, as `Choice`. */
  interface ChoiceData {
    action: number;
    text: string;
    probability: number | null;
    utility: number | null;
    error: number | null;
    playouts: number;
    points: number | null;
    /** By the agent. */
    chosen: boolean;
    /** In the game. */
    played: boolean;
  }
  /** What a decision cost. */
  interface Cost {
    step: number;
    where: string;
    action: string;
    best: string;
    /** The action id of `best`. */
    better: number;
    /** Share of the wins. */
    cost: number;
    error: number;
    points: number;
    /** In a sentence; of the worst ones, once the review is whole. */
    why: string;
  }
  /** What decisions of a seat cost, as far as is known. */
  interface Costs {
    /** All is there, the habit and why mistakes were some, too. */
    whole: boolean;
    /** Nothing more is to be learned; else the next request goes on. */
    refined: boolean;
    decisions: number;
    /** 0 to 1; null: nothing that was chosen could change the chance to win. */
    accuracy: number | null;
    /** Share of the wins that all decisions together cost beside the first sight of the coach; below 0: gained. */
    loss: number;
    /** Two standard errors of it. */
    error: number;
    /** What the bids have in common that cost the chance; empty if they have nothing. */
    habit: string;
    /** Those whose cost is clear, the most first. */
    costs: Cost[];
    practice: PracticeStep[];
  }
  /** The deal of a day: the same cards for everybody at this server. */
  interface DayData {
    /** Of the game. */
    title: string;
    date: string;
    today: boolean;
    opponents: string[];
    /** People who have played it. */
    played: number;
    /** The own game. */
    over: boolean;
    /** The best first; empty until the own game, or the day, is over. */
    results: DayResult[];
  }
  /** How somebody has fared with the deal of a day. */
  interface DayResult {
    name: string;
    agent: boolean;
    /** It is the table that the request names. */
    own: boolean;
    points: number;
    rank: number;
  }
  /** What the page of a game holds. */
  interface Film {
    pieces: string[];
    picture: number[][];
    narrow: number[][];
    steps: ([string[], boolean, Report | null, string])[];
    labels: { [name: string]: string };
  }
  /** A game that tables may have. */
  interface GameOffer {
    id: string;
    title: string;
    players: number[];
    default_players: number;
    presets: PresetOffer[];
    agents: string[];
    options: OptionOffer[];
    /** Of the quick game, the weakest first. */
    levels: LevelOffer[];
    /** Ids of its short lessons. */
    topics: string[];
  }
  /** The first message: who visits which table. */
  interface Hello {
    type: "hello";
    table: string;
    token?: string;
    language: string;
    form?: "wide" | "narrow";
  }
  /** What the coach advises at a decision. */
  interface Hint {
    type: "hint";
    decision: number;
    /** At first sight, without reasons. */
    first: boolean;
    agent: string;
    action: number;
    text: string;
    /** Of a bid; 0 for other actions. */
    amount: number;
    reasons: string[];
    /** How high to go for the lot; null at first sight, and where there is nothing to bid for. */
    limit: PriceCurve | null;
    /** Nothing more is to be learned; else another hint follows while nobody decides. */
    whole: boolean;
  }
  /** Let agents play in one go up to the next decision of the client's seat. */
  interface Hurry {
    type: "hurry";
  }
  /** The link with which others choose a seat, and its QR code as SVG. */
  interface Invitation {
    link: string;
    qr: string;
  }
  /** A table, for somebody with an invitation. */
  interface Invited {
    title: string;
    seats: InvitedSeat[];
    /** The seed, if somebody typed it. */
    seed: string | null;
  }
  /** A seat, for somebody with an invitation. */
  interface InvitedSeat {
    name: string;
    person: boolean;
    agent: string;
    free: boolean;
  }
  /** The name of a replay. */
  interface KeptReplay {
    replay: string;
  }
  /** A guided game, or a short lesson. */
  interface Lesson {
    steps: LessonStep[];
  }
  /** A step of a lesson. */
  interface LessonStep {
    title: string;
    headline: string;
    task: string;
    picture: string;
    text: string;
    score: ScoreData | null;
    news: string[];
    lots: number[];
    raises: number[];
    opened: ([number, number])[];
    staged: StagedEvent[];
    lesson: string;
    /** Why no other choice than the right one. */
    why: string;
    /** None at the end of a guided game. */
    choices: ((SingleAction & { choices?: undefined; most?: undefined }) | (NumberedActions & { id?: undefined; number?: undefined; part?: undefined; text?: undefined }))[];
    /** Id of one of them. */
    right: number | null;
  }
  /** A level of the quick game. */
  interface LevelOffer {
    name: string;
    /** Whom one meets. */
    agent: string;
    rating: number;
  }
  /** What one decision cost that somebody looks at. */
  interface Looked {
    /** Nothing more is to be learned; else the next request goes on. */
    settled: boolean;
    /** The cost is clear. */
    mistake: boolean;
    found: Cost;
  }
  /** A new table with the game up to a step. */
  interface MadeAgain {
    table: string;
    /** Of the person; empty if agents play on. */
    token: string;
    /** From which to watch. */
    step: number;
  }
  /** A table with the deal of a day, and its date. */
  interface MadeDay {
    table: string;
    token: string;
    names: string[];
    date: string;
  }
  /** A new table. */
  interface MadeTable {
    table: string;
    /** Of each seat; empty for agents. */
    tokens: string[];
    names: string[];
  }
  /** Why a request was refused; of a position also the field that is wrong. */
  interface Mistake {
    error: string;
    field?: string;
    most?: number | null;
  }
  /** The decisions of a game so far. */
  interface Moves {
    /** Seat, and text of the action. */
    moves: ([number, string])[];
  }
  /** An event shows something hidden: what? */
  interface NeedsReveal {
    needs: Reveal;
  }
  /** The form of a new table. */
  interface NewTable {
    game: string;
    preset?: string;
    options?: { [name: string]: boolean | number | string | null };
    seats: string[];
    names?: string[];
    pace?: number | null;
    clock?: number | null;
    seed?: string | null;
  }
  /** Legal actions of one kind that differ by a number: one field. */
  interface NumberedActions {
    kind: string;
    /** Number, action id, and text of each, the least number first. */
    choices: ([number, number, string])[];
    /** The highest number that they lead to, perhaps with a second action. */
    most: number;
  }
  /** What the page begins with. */
  interface Offer {
    games: GameOffer[];
    paces: (number | null)[];
    clocks: (number | null)[];
    lessons: string[];
    language: string;
    languages: string[];
    words: { [name: string]: string };
    /** For links that others open; null: that of the page. */
    address: string | null;
  }
  /** An option of a game. */
  interface OptionOffer {
    name: string;
    value: boolean | number | string | null;
    /** The values that are allowed; null: others, too. */
    choices: (boolean | number | string | null)[] | null;
  }
  /** A question whether the server is there. */
  interface Ping {
    type: "ping";
  }
  /** How somebody plays the deal of the day: `again`, who has seen its cards before, for nothing. */
  interface PlayDay {
    name?: string;
    again?: boolean;
  }
  /** The answer to a ping. */
  interface Pong {
    type: "pong";
  }
  /** A decision that is worth another try. */
  interface PracticeStep {
    step: number;
    where: string;
    /** What was chosen. */
    action: string;
  }
  /** A seat of a table. */
  interface PresentSeat {
    name: string;
    person: boolean;
    agent: string;
    here: boolean;
    /** Somebody has come to it. */
    taken: boolean;
    /** A bot plays for a person who is away. */
    stand_in: boolean;
  }
  /** Rules of a game by name. */
  interface PresetOffer {
    name: string;
    players: number;
    options: { [name: string]: boolean | number | string | null };
    agents: string[];
  }
  /** How high to go for a lot. */
  interface PriceCurve {
    /** The highest bid that is no worse than a pass; 0: none is. */
    highest: number;
    /** That in a sentence. */
    text: string;
    /** The chance to win after a pass. */
    passed: number;
    bids: BidWorth[];
  }
  /** A real table now, and what may happen next. */
  interface RealTable {
    title: string;
    headline: string;
    task: string;
    picture: string;
    text: string;
    score: ScoreData | null;
    news: string[];
    over: boolean;
    turn: number | null;
    seats: string[];
    /** Seat and highest bid of each that bids in secret. */
    sealed: ([number, number])[];
    actions: ((SingleAction & { choices?: undefined; most?: undefined }) | (NumberedActions & { id?: undefined; number?: undefined; part?: undefined; text?: undefined }))[];
    /** Of actions, by id. */
    names: { [name: string]: string };
    advised: boolean;
    beliefs: Believed;
    /** The position now; null once nothing is hidden. */
    position: { [name: string]: any } | null;
    /** A program that loads it. */
    python: string;
  }
  /** The table of the next game. */
  interface Rematch {
    table: string;
  }
  /** A replay without its steps. */
  interface ReplayAbout {
    steps: number;
    /** No step will be added. */
    complete: boolean;
    over: boolean;
    /** The step where each lot begins, and with what. */
    lots: ([number, string])[];
    names: string[];
    /** An agent decides at some seat. */
    decide: boolean;
    people: number[];
    beliefs: boolean;
    adviser: string;
    failure: string | null;
    agents: string[];
  }
  /** A step as a viewer may see it. */
  interface ReplayStep {
    title: string;
    headline: string;
    task: string;
    picture: string;
    text: string;
    score: ScoreData | null;
    news: string[];
    /** What was chosen there. */
    action: string | null;
  }
  type Report = [string, string, ([string, number, string])[]];
  /** What an event has to say that it shows. */
  interface Reveal {
    asks: string;
    least: number;
    size: number;
    choices: ([string, string])[];
  }
  /** The end of a game, with everything that was hidden. */
  interface Review {
    title: string;
    headline: string;
    task: string;
    picture: string;
    text: string;
    score: ScoreData | null;
    seed: string;
    /** Rank, name, points and seat, the best first. */
    standings: ([number, string, number, number])[];
    /** Whether decisions are judged: the coach knows chances to win, which do not count where the game pays payoffs. */
    judged: boolean;
  }
  /** The rules of a game with its options. */
  interface Rules {
    lines: string[];
    /** SVG of those that the last lines are about. */
    cards: string[];
    /** A headline and a packed picture for each phase. */
    examples: ([string, string])[];
  }
  /** A number of a table of points, as `ScoreCell`. */
  interface ScoreCellData {
    text: string;
    reason: string;
    strong: boolean;
    doubtful: boolean;
  }
  /** The points of all seats with their reasons, as `ScoreTable`. */
  interface ScoreData {
    names: string[];
    title: string;
    rows: ([string, ScoreCellData[]])[];
    notes: string[];
    lot: string[];
    decides: number;
    ledger: number;
  }
  /** Seconds between decisions of agents; null: pause. */
  interface SetDelay {
    type: "pace";
    pace: number | null;
  }
  /** A legal action that is a button. */
  interface SingleAction {
    kind: string;
    id: number;
    text: string;
    /** The part of the picture that stands for it. */
    part: string;
    /** The amount of a bid. */
    number: number | null;
  }
  /** Why the seat was not asked to bid. */
  interface Skipped {
    /** Index of the event in `news`. */
    line: number;
    text: string;
  }
  /** An event on which the page dwells. */
  interface StagedEvent {
    /** Its index in `news`. */
    line: number;
    stage: "sale" | "turn" | "leave" | "note";
    seat: number | null;
    /** The parts of the picture that it may name. */
    parts: string[];
  }
  /** Let a bot play the seat of a person who is away, or no longer. */
  interface StandIn {
    type: "stand_in";
    seat: number;
    on: boolean;
  }
  /** The table as a client may see it, and what happened since the last such message. */
  interface State {
    title: string;
    headline: string;
    task: string;
    picture: string;
    text: string;
    score: ScoreData | null;
    bidding: boolean;
    actions: ((SingleAction & { choices?: undefined; most?: undefined }) | (NumberedActions & { id?: undefined; number?: undefined; part?: undefined; text?: undefined }))[];
    news: string[];
    lots: number[];
    raises: number[];
    opened: ([number, number])[];
    staged: StagedEvent[];
    type: "state";
    /** Number of the next decision. */
    decision: number;
    /** The client's; null for those who watch. */
    seat: number | null;
    /** The seat to move; null if the game is over. */
    turn: number | null;
    over: boolean;
    /** It tells the table anew. */
    new: boolean;
    skipped: Skipped | null;
    /** The client may take its last decision back. */
    undo: boolean;
    thinking: boolean;
    /** The client may let agents play in one go up to its next decision. */
    hurry: boolean;
    pace: number | null;
    /** Left for the decision; null: no clock. */
    seconds: number | null;
    /** Connections of the client's seat. */
    windows: number;
    /** The table of the next game. */
    next: string | null;
    /** The seed, if somebody typed it. */
    seed: string | null;
    failure: string | null;
    seats: PresentSeat[];
  }
  /** What an agent reports of a step. */
  interface StepThoughts {
    title: string;
    value: string;
    why: string;
    choices: ChoiceData[];
    limit: PriceCurve | null;
    whole: boolean;
    note: string;
  }
  /** How a game stands, for one of its people. */
  interface TableStatus {
    over: boolean;
    yours: boolean;
    headline: string;
    /** Name and points of each player. */
    standings: ([string, string])[];
  }
  /** The token of a seat. */
  interface TakenSeat {
    token: string;
  }
  type Sent = State | Hint | Busy | Pong;
  type Received = Hello | Act | AskHint | SetDelay | StandIn | Hurry | Ping;
  type ActionGroup = (SingleAction & { choices?: undefined; most?: undefined }) | (NumberedActions & { id?: undefined; number?: undefined; part?: undefined; text?: undefined });
  interface Reading {
    "offer": Offer;
    "tables/{name}": TableStatus;
    "tables/{name}/invitation": Invitation;
    "invitations/{name}": Invited;
    "advice/{game}": BlankPosition;
    "days/{game}": DayData;
    "covers/{game}": unknown;
    "lessons/{game}": Lesson;
    "lessons/{game}/rules": Rules;
    "exercises/{topic}": Lesson;
    "exercises/{topic}/rules": Rules;
    "rules/{name}": Rules;
    "review/{name}": Review;
    "review/{name}/chances": Chances;
    "review/{name}/{seat}": Costs;
    "review/{name}/steps/{step}": Looked;
    "replays/{name}": ReplayAbout;
    "replays/{name}/file": unknown;
    "replays/{name}/moves": Moves;
    "replays/{name}/export/{format}": unknown;
    "replays/{name}/{step}": ReplayStep;
    "replays/{name}/{step}/thoughts": StepThoughts;
    "replays/{name}/{step}/beliefs": Beliefs;
  }
  interface Changing {
    "tables": MadeTable;
    "tables/{name}/rematch": Rematch;
    "invitations/{name}/{seat}": TakenSeat;
    "days/{game}": MadeDay;
    "advice": (NeedsReveal & { actions?: undefined; advised?: undefined; beliefs?: undefined; headline?: undefined; names?: undefined; news?: undefined; over?: undefined; picture?: undefined; position?: undefined; python?: undefined; score?: undefined; sealed?: undefined; seats?: undefined; task?: undefined; text?: undefined; title?: undefined; turn?: undefined }) | (RealTable & { needs?: undefined });
    "advice/answer": Advice;
    "advice/replay": unknown;
    "replays": KeptReplay;
    "replays/{name}/{step}/advance": ReplayAbout;
    "replays/{name}/{step}/again": MadeAgain;
  }
}
