"""What is said of the results of a tournament in sentences."""

from w51_agents.console.terminal import printable
from w51_lab.arena.supervisor import FAILURES_PER_GAME
from w51_lab.report.models import AgentSummary, Summary
from w51_lab.report.values import result_of
from w51_lab.statistics.estimates import CONFIDENCE

_MIN_DEALS = 30  #  for the design effect, which is noise for fewer


def caption(summary: Summary) -> str:
    """What was played, and how the numbers of a summary are to be read."""
    deals, stopped = summary.deals, summary.stopped
    effect = summary.design_effect.score if summary.decides == "payoff" else summary.design_effect.win_rate
    per_deal = summary.games // deals.count
    each = f"each in {per_deal:,} game{'s' * (per_deal > 1)}"
    played = f"{summary.games:,} games: {deals.count:,} deals ({deals.name}), {each}"
    sentences = [f"{played}, {summary.seatings} of seats."]
    if stopped is not None:
        sentences.append(f"Stopped with {stopped.reason}; planned: {stopped.of:,} deals.")
    if summary.decides == "payoff":
        sentences.append(about_results(summary.decides))
    if summary.score_unit:
        sentences.append(f"Scores are in {summary.score_unit}.")
    sentences.append(about_win_rates(summary.equal_share))
    sentences += filter(None, map(forfeited_most, summary.agents))
    if effect and deals.count >= _MIN_DEALS:
        worth = summary.games / effect
        sentences.append(f"These {summary.games:,} games are worth about {worth:,.0f} independent ones.")
    return " ".join(sentences)


def about_results(decides: str) -> str:
    """How results are to be read where wins do not decide."""
    what = "Payoffs" if decides == "payoff" else "Ranks"
    return f"{what} decide: agents are compared by their {result_of(decides)}s, not by how often they are first."


def about_win_rates(equal_share: float) -> str:
    """How win rates are to be read."""
    return (
        f"Win rate of one seat; each of k tied winners counts 1/k. Equal share, 1 / players: {equal_share:.1%}. "
        f"{CONFIDENCE:.0%} intervals by deal."
    )


def failure_lines(summary: Summary) -> list[str]:
    """A sentence for each agent that forfeited decisions."""
    lines = []
    for agent in summary.agents:
        forfeits = agent.forfeits
        kinds = {"errors": forfeits.errors, "illegal": forfeits.illegal, "late": forfeits.late}
        if any(kinds.values()):
            line = f"{agent.name} forfeited decisions: "
            line += ", ".join(f"{number:,} {kind}" for kind, number in kinds.items() if number)
            if forfeits.skipped:
                skipped = f"{forfeits.skipped:,} more were skipped"
                line += f"; {skipped}, after {FAILURES_PER_GAME} failures in a game or the end of its process"
            first = ((forfeits.first or "").splitlines() or [""])[0]
            lines.append(printable(f"{line}. First failure: {first}"))
    return lines


def usage_lines(summary: Summary) -> list[str]:
    """A sentence for each language model: its tokens and cost."""
    lines = []
    for agent in summary.agents:
        if usage := agent.usage:
            tokens = f"{usage.input_tokens:,.0f} tokens read, {usage.output_tokens:,.0f} written"
            tokens += f" ({usage.tokens / agent.games:,.0f} a game)"
            cost = f"; cost {usage.cost:,.2f} ({usage.cost / agent.games:,.4f} a game)" if usage.cost else ""
            lines.append(printable(f"{agent.name}: {usage.questions:,.0f} questions, {tokens}{cost}."))
    return lines


def forfeited_most(agent: AgentSummary) -> str:
    """A sentence if random actions made most decisions of an agent, or any of a language model; else ""."""
    fraction = agent.forfeits.fraction
    if fraction <= 0.5:
        is_marked = fraction > 0 and agent.usage is not None
        return f"{agent.name}: {fraction:.2%} of its decisions were drawn at random." if is_marked else ""
    return f"{agent.name}: {fraction:.0%} of its decisions were drawn at random, so its results are not its own."
