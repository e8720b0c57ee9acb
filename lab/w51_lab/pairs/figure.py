"""The figure of a pair: each effect with its interval, in standard deviations, and in its own unit beside it."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from w51_lab.pairs.effects import TABLE, Effect
from w51_lab.pairs.option_pair import OptionChange
from w51_lab.report.figures import (
    FAINT,
    INK,
    PAGE,
    Mark,
    freeze_layout,
    marks,
    new_figure,
    paper_style,
    plain_axes,
    reference_line,
)
from w51_lab.report.values import Keywords, number, signed

_ROW, _FRAME = 0.19, 1.0  # heights in inches
_MAX_ROWS = 40


def draw(effects: Sequence[Effect], change: OptionChange, note: str) -> Figure:
    """A row for each effect: its difference and interval over the spread of the first side; small: each training.

    Effects whose number does not vary on the first side are left out, and those after the first 40.

    Args:
        effects: The effects.
        change: The option that differs.
        note: How many games were played, for the line below the axis.
    """
    shown = [effect for effect in effects if effect.spread > 0][:_MAX_ROWS]
    agents = list(dict.fromkeys(effect.agent for effect in shown if effect.agent != TABLE))
    look = {TABLE: Mark(INK, "o", TABLE), **marks(agents)}
    with paper_style():
        figure = new_figure(PAGE, _FRAME + _ROW * max(1, len(shown)))
        axes = figure.subplots()
        plain_axes(axes)
        axes.set_xscale("symlog", linthresh=1.0)
        for row, effect in enumerate(shown):
            style: Keywords = {"color": look[effect.agent].colour, "marker": look[effect.agent].marker}
            interval = effect.shown
            if None not in (interval.low, interval.high):
                axes.plot([end / effect.spread for end in interval.ends], [row, row], color=style["color"])
            axes.plot(interval.mean / effect.spread, row, **style)
            few = [value / effect.spread for value in effect.trainings]
            axes.plot(few, [row] * len(few), "|", color=FAINT, markersize=5)
            text = f"{number(effect.first)} → {number(effect.second)}  ({signed(interval.mean)})"
            axes.annotate(text, (1.01, row), xycoords=("axes fraction", "data"), va="center", fontsize=6.5)
        axes.set_yticks(range(len(shown)), [_label(effect, len(agents) > 1) for effect in shown])
        axes.set_ylim(len(shown) - 0.5, -0.5)
        reference_line(axes, 0.0)
        axes.xaxis.set_major_formatter(lambda value, _: signed(value, 0))
        first, second = change.labels
        axes.set_title(f"{second}  against  {first}", pad=12)
        axes.set_xlabel(f"difference, in standard deviations of a deal with {first}\n{note}")
        freeze_layout(figure)
    return figure


def _label(effect: Effect, named: bool) -> str:
    """The measure, with its unit, and the agent if there are several."""
    unit = f", {effect.unit}" if effect.unit else ""
    agent = f" ({effect.agent})" if named and effect.agent != TABLE else ""
    return f"{effect.measure.replace('_', ' ').replace('.', ': ')}{unit}{agent}"
