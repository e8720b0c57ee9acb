"""Attention over events: tokens from a table, weights of each head, and their gradients; compiled, and as PyTorch.

An event is a token: the sum of the table's rows for its numbers and for its age, with a ReLU.
"""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from w51_agents.networks.fast.layers import numpy_of
from w51_env.compiler.compile import JIT_DISABLED, entry, kernel
from w51_env.compiler.vectors import dot
from w51_env.engine.events import COLUMNS

LOW, HIGH = -1, 126  # of a number of an event, from which all others are read as these


def attend(queries: Tensor, table: Tensor, events: Tensor, first: Tensor) -> Tensor:
    """The tokens of events, added up by the attention of each head; a head need not attend to any.

    Compiled code does this on a processor, in float32 and of int8 events, as networks play and learn.

    Args:
        queries: (B, heads, width).
        table: (rows, width); row 0 is 0, the last K rows are those of ages.
        events: (B, K, 6) integers, the oldest first, then zeros.
        first: (1 + event types, 5) int64, the row of the number 0 in each column of an event but its type; 0: none.

    Returns:
        (B, heads, width).
    """
    is_float = queries.dtype == torch.float32 and queries.device.type == "cpu" and events.dtype == torch.int8
    if is_float and not (JIT_DISABLED or torch.compiler.is_exporting()):
        return CompiledAttention.apply(queries, table, events, first)
    return attention(queries, table, events, first)


def attention(queries: Tensor, table: Tensor, events: Tensor, first: Tensor) -> Tensor:
    """As `attend`, by PyTorch."""
    rows = rows_of(events, first, len(table))
    tokens = functional.embedding(rows, table, padding_idx=0).sum(2).relu()
    scores = queries @ tokens.transpose(1, 2) * tokens.shape[2] ** -0.5
    scores = scores.masked_fill((events[..., 0] == 0)[:, None], -torch.inf)
    weights = torch.softmax(functional.pad(scores, (1, 0)), 2)[..., 1:]
    return weights @ tokens


def rows_of(events: Tensor, first: Tensor, size: int) -> Tensor:
    """(B, K, 6) int64, the rows of a table of this size that are added up for each event; 0: none."""
    numbers = events.long()
    starts = first[numbers[..., 0]]
    rows = (starts + numbers[..., 1:].clamp(LOW, HIGH)) * (starts > 0)
    is_event = (numbers[..., :1] > 0).long()
    ages = is_event.sum(1, keepdim=True) - 1 - torch.arange(events.shape[1], device=events.device)[:, None]
    return torch.cat([rows, (size - events.shape[1] + ages) * is_event], 2)


class CompiledAttention(torch.autograd.Function):
    """`attention` as compiled code; queries and table have gradients."""

    @staticmethod
    def forward(context: Any, queries: Tensor, table: Tensor, events: Tensor, first: Tensor) -> Tensor:
        count, heads, width = queries.shape
        arrays = *numpy_of(queries, table, events.flatten(1), first), *_memory(events.shape[1], width)
        weights, summed = np.empty((count, heads, events.shape[1]), np.float32), torch.empty(queries.shape)
        write_attention(*arrays, weights, summed.numpy())
        context.arrays = *arrays, weights
        return summed

    @staticmethod
    def backward(context: Any, by_summed: Tensor) -> tuple[Tensor | None, ...]:
        queries, table = context.arrays[:2]
        by_queries, by_table = torch.zeros(queries.shape), torch.zeros(table.shape)
        memory = np.empty(table.shape[1], np.float32), np.empty(context.arrays[-1].shape[1:], np.float32)
        write_attention_gradients(*context.arrays, *numpy_of(by_summed), *memory, by_queries.numpy(), by_table.numpy())
        return by_queries, by_table, None, None


def _memory(events: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    return np.empty((events, COLUMNS), np.int64), np.empty((events, width), np.float32)


@kernel
def write_tokens(events, table, first, rows, tokens):  # type: ignore[no-untyped-def]
    """Write the rows and the tokens of one game's events; returns how many there are."""
    width, most = tokens.shape[1], tokens.shape[0]
    count = 0
    while count < most and events[COLUMNS * count] != 0:
        count += 1
    for event in range(count):
        start = COLUMNS * event
        event_type = events[start]
        for column in range(COLUMNS - 1):
            row = first[event_type, column]
            if row > 0:
                row += min(max(np.int64(events[start + 1 + column]), LOW), HIGH)
            rows[event, column] = row
        rows[event, COLUMNS - 1] = table.shape[0] - most + count - 1 - event
        a, b, c = rows[event, 0], rows[event, 1], rows[event, 2]
        d, e, f = rows[event, 3], rows[event, 4], rows[event, 5]
        for unit in range(width):
            total = table[a, unit] + table[b, unit] + table[c, unit]
            total += table[d, unit] + table[e, unit] + table[f, unit]
            tokens[event, unit] = max(total, np.float32(0.0))
    return count


@entry("policy")
def write_attention(queries, table, events, first, rows, tokens, *written):  # type: ignore[no-untyped-def]
    """Write the weights (B, heads, K) and the sums (B, heads, width) of `attend`; `rows` and `tokens` are memory."""
    weights, summed = written
    heads, width = queries.shape[1], queries.shape[2]
    scale = np.float32(1.0 / math.sqrt(width))
    for game in range(queries.shape[0]):
        count = write_tokens(events[game], table, first, rows, tokens)
        for head in range(heads):
            highest = np.float32(0.0)
            for event in range(count):
                score = scale * dot(tokens, event, queries[game], head)
                weights[game, head, event] = score
                highest = max(highest, score)
            total = np.float32(math.exp(-highest))
            for event in range(count):
                weight = np.float32(math.exp(weights[game, head, event] - highest))
                weights[game, head, event] = weight
                total += weight
            for unit in range(width):
                summed[game, head, unit] = np.float32(0.0)
            for event in range(count):
                weight = weights[game, head, event] / total
                weights[game, head, event] = weight
                for unit in range(width):
                    summed[game, head, unit] += weight * tokens[event, unit]


@kernel
def add_query_gradients(weights, by_summed, tokens, count, game, written):  # type: ignore[no-untyped-def]
    """Add to the gradients of the queries of one game, and write those of its scores, from those of the sums."""
    by_scores, by_queries = written
    heads, width = by_summed.shape[1], by_summed.shape[2]
    scale = np.float32(1.0 / math.sqrt(width))
    for head in range(heads):
        mean = np.float32(0.0)
        for event in range(count):
            by_scores[head, event] = dot(tokens, event, by_summed[game], head)
            mean += weights[game, head, event] * by_scores[head, event]
        for event in range(count):
            by_score = scale * weights[game, head, event] * (by_scores[head, event] - mean)
            by_scores[head, event] = by_score
            for unit in range(width):
                by_queries[game, head, unit] += by_score * tokens[event, unit]


@entry("policy")
def write_attention_gradients(queries, table, events, first, rows, tokens, weights, *written):  # type: ignore[no-untyped-def]
    """Add to the gradients of queries and table, from those of the sums; before them memory: a token, and scores."""
    by_summed, by_token, by_scores, by_queries, by_table = written
    heads, width = queries.shape[1], queries.shape[2]
    for game in range(queries.shape[0]):
        count = write_tokens(events[game], table, first, rows, tokens)
        add_query_gradients(weights, by_summed, tokens, count, game, (by_scores, by_queries))
        for event in range(count):
            for unit in range(width):
                by_token[unit] = np.float32(0.0)
            for head in range(heads):
                weight, by_score = weights[game, head, event], by_scores[head, event]
                for unit in range(width):
                    by_token[unit] += weight * by_summed[game, head, unit] + by_score * queries[game, head, unit]
            for unit in range(width):
                by_token[unit] = by_token[unit] if tokens[event, unit] > 0 else np.float32(0.0)
            for column in range(COLUMNS):
                row = rows[event, column]
                if row > 0:
                    for unit in range(width):
                        by_table[row, unit] += by_token[unit]
