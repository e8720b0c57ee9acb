"""The processes of one training, its ranks: each plays and learns a share, and all have the same weights.

They exchange plain numbers by gloo, PyTorch's engine for processors: never pickles, as its connections have no password
(docs/security.md). Whatever is summed or listed is so in the order of the ranks, not of arrival.
"""

import json
import os
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous

from w51_agents.agent.interface import AgentError
from w51_agents.training.heartbeat import Heartbeat
from w51_agents.training.shared_memory import SharedTerms, shared_numbers
from w51_env.engine.errors import W51Error

if sys.platform == "linux":
    import fcntl

RENDEZVOUS = "W51_RENDEZVOUS"  #  an environment variable: where ranks meet, if not as `torchrun` says
_JOIN_SECONDS, _EXCHANGE_SECONDS = 120, 24 * 3600.0  #  a rank may wait long for others: `Heartbeat` finds lost ones
_IN_MEMORY = 8  #  ranks at most; more of them lose less where each sums a part
_GET_ADDRESS, _REQUEST_BYTES = 0x8915, 256  #  SIOCGIFADDR of Linux


class Ranks:
    """This process alone; a subclass has others beside it.

    Attributes:
        number, count: The number of this one among all, from 0; how many there are.
        here: How many of them are on this machine.
        writes: Whether it writes the files.
    """

    number, count, here = 0, 1, 1

    @property
    def writes(self) -> bool:
        return self.number == 0

    def gather(self, *arrays: np.ndarray, lengths: Sequence[int] | None = None) -> tuple[np.ndarray, ...]:
        """The arrays of all ranks, each joined along its first dimension; all others are equal on all ranks.

        Args:
            arrays: Those of this rank.
            lengths: Along the first dimension on each rank, if all know them and none is 0: one message less.
        """
        return arrays

    def sum_in_order(self, terms: Tensor, counts: Sequence[int]) -> Tensor:
        """(size,) float32, the sum of terms, one after the other.

        Args:
            terms: (K, size), those of this rank.
            counts: K of each rank.
        """
        total = terms[0].clone()
        for term in terms[1:]:
            total += term
        return total

    def texts(self, text: str) -> list[str]:
        """The text of each rank."""
        return [text]

    def any(self, is_so: bool) -> bool:
        """Whether it is so on any rank."""
        return bool(np.any(self.gather(np.array([is_so]), lengths=[1] * self.count)))

    @contextmanager
    def agreed(self) -> Iterator[None]:
        """What a rank refuses inside is refused by all, with the number of that rank."""
        yield

    def name_resumption(self, command: str) -> None:
        """Say how to go on, for the message about a lost rank."""

    def check_alike(self, facts: Mapping[str, Any]) -> None:
        """AgentError unless all ranks have the same facts, plain data by name; it names those that differ."""


class JoinedRanks(Ranks):
    """A rank beside others.

    Args:
        number, count, here: As of `Ranks`.
        heartbeat: Finds ranks that are lost.
    """

    def __init__(self, number: int, count: int, here: int, heartbeat: Heartbeat):
        self.number, self.count, self.here, self._heartbeat = number, count, here, heartbeat
        self._shared: dict[tuple[int, ...], SharedTerms | None] = {}

    def gather(self, *arrays: np.ndarray, lengths: Sequence[int] | None = None) -> tuple[np.ndarray, ...]:
        mine = [np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8) for array in arrays]
        content = torch.from_numpy(np.concatenate(mine))
        with self._exchange():
            if lengths is None:
                ends = torch.empty(self.count, len(mine), dtype=torch.int64)
                dist.all_gather([*ends], torch.tensor([*map(len, mine)]))
            else:
                ends = torch.tensor([[length * array[0].nbytes for array in arrays] for length in lengths])
            sizes = ends.sum(1).tolist()
            padded = torch.nn.functional.pad(content, (0, max(sizes) - len(content)))
            everything = torch.empty(self.count, max(sizes), dtype=torch.uint8)
            dist.all_gather([*everything], padded)
        parts = [np.split(row.numpy(), np.cumsum(each)) for row, each in zip(everything, ends.tolist(), strict=True)]
        joined = (np.concatenate([part[place] for part in parts]) for place in range(len(arrays)))
        return tuple(
            one.view(array.dtype).reshape(-1, *array.shape[1:]) for one, array in zip(joined, arrays, strict=True)
        )

    def sum_in_order(self, terms: Tensor, counts: Sequence[int]) -> Tensor:
        """In shared memory, or each rank sums a part, so that what it sends does not grow with the ranks."""
        if (shared := self._shared_terms(sum(counts), terms.shape[1])) is not None:
            everywhere = shared.written(terms, sum(counts[: self.number]))
            return super().sum_in_order(everywhere, counts).to(terms.device)
        size, device = terms.shape[1], terms.device
        width = -(-size // self.count)
        padded = torch.nn.functional.pad(terms, (0, width * self.count - size)).cpu()
        sent = padded.view(len(terms), self.count, width).transpose(0, 1).reshape(-1, width).contiguous()
        received, whole = torch.empty(sum(counts), width), torch.empty(self.count, width)
        with self._exchange():
            dist.all_to_all_single(received, sent, [*counts], [len(terms)] * self.count)
            dist.all_gather([*whole], super().sum_in_order(received, counts))
        return whole.view(-1)[:size].to(device)

    def _shared_terms(self, *shape: int) -> SharedTerms | None:
        """Memory for terms of all ranks; None where there is none, or where they send them."""
        if self.here < self.count or self.count > _IN_MEMORY:
            return None
        if shape not in self._shared:
            memory = shared_numbers(self, 2 * shape[0] * shape[1])
            self._shared[shape] = None if memory is None else SharedTerms(memory, shape, self._meet)
        return self._shared[shape]

    def _meet(self) -> None:
        with self._exchange():
            dist.all_to_all_single(torch.empty(self.count), torch.zeros(self.count))

    def texts(self, text: str) -> list[str]:
        content = np.frombuffer(text.encode(), np.uint8)
        lengths, joined = self.gather(np.array([len(content)]), content)
        return [part.tobytes().decode() for part in np.split(joined, np.cumsum(lengths)[:-1])]

    @contextmanager
    def agreed(self) -> Iterator[None]:
        refused: W51Error | None = None
        try:
            yield
        except W51Error as error:
            refused = error
        texts = self.texts("" if refused is None else str(refused))
        if refused is not None:
            raise refused
        for number, text in enumerate(texts):
            if text:
                raise AgentError(f"process {number} of {self.count}: {text}")

    def name_resumption(self, command: str) -> None:
        self._heartbeat.resumption = command
        if self.writes and RENDEZVOUS in os.environ:  # for the process that has started the ranks
            Path(urlsplit(os.environ[RENDEZVOUS]).path).with_name("resumption").write_text(command, "utf-8")

    def check_alike(self, facts: Mapping[str, Any]) -> None:
        host = socket.gethostname()
        first, *others = (json.loads(text) for text in self.texts(json.dumps([host, facts], sort_keys=True)))
        for number, (other_host, other) in enumerate(others, 1):
            if names := sorted(name for name in {*first[1], *other} if first[1].get(name) != other.get(name)):
                values = " and ".join(json.dumps(each.get(names[0]))[:200] for each in (other, first[1]))
                raise AgentError(
                    f"process {number} (on {other_host}) has another {', '.join(names)} than process 0 (on "
                    f"{first[0]}): {values}; all processes of a training need the same"
                )

    @contextmanager
    def _exchange(self) -> Iterator[None]:
        """AgentError where another rank is lost meanwhile."""
        try:
            yield
        except RuntimeError as error:
            raise AgentError(self._heartbeat.lost_in_words(str(error))) from None


_current = Ranks()


def ranks() -> Ranks:
    """The ranks of the training of this process."""
    return _current


def is_restartable() -> bool:
    """Whether `torchrun` started this process, which starts the same command again when a rank is lost."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def has_others() -> bool:
    """Whether this process was started as one of several ranks."""
    return _number("WORLD_SIZE", 1) > 1 and "RANK" in os.environ


@contextmanager
def joined_ranks() -> Iterator[Ranks]:
    """Inside, this process is one of the ranks that its environment names, as `torchrun` sets it, or alone.

    Raises:
        AgentError: The others are not there.
    """
    global _current
    if not has_others():
        yield _current
        return
    number, count, here = (_number(name, 1) for name in ("RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE"))
    os.environ.setdefault("GLOO_SOCKET_IFNAME", _interface(here == count))
    where = os.environ.get(RENDEZVOUS)
    url = f"{where}?rank={number}&world_size={count}" if where else "env://"
    try:
        store = next(rendezvous(url, timeout=timedelta(seconds=_JOIN_SECONDS)))[0]
        store = PrefixStore(f"start {_number('TORCHELASTIC_RESTART_COUNT', 0)}", store)  # it outlives a restart
        heartbeat = Heartbeat(PrefixStore("beats", store), number, count)
        dist.init_process_group(
            "gloo",
            store=PrefixStore("w51", store),
            rank=number,
            world_size=count,
            timeout=timedelta(seconds=_EXCHANGE_SECONDS),
        )
    except (RuntimeError, OSError, ValueError) as error:
        raise AgentError(f"process {number} of {count}: the others cannot be reached: {str(error)[:300]}") from None
    heartbeat.start()
    _current = JoinedRanks(number, count, here, heartbeat)
    try:
        yield _current
    finally:
        heartbeat.stop()
        _current = Ranks()
        dist.destroy_process_group()


def _number(name: str, default: int) -> int:
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() else default


def _interface(is_here: bool) -> str:
    """The loopback interface where all ranks are on this machine; else the one by which the first is reached."""
    names = [name for _, name in socket.if_nameindex()]
    if is_here:
        return next(name for name in names if name.startswith("lo"))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((os.environ["MASTER_ADDR"], 9))  # sends nothing
        address = probe.getsockname()[0]
        for name in names if sys.platform == "linux" else []:
            with suppress(OSError):  # it has no address
                found = fcntl.ioctl(probe, _GET_ADDRESS, name.encode().ljust(_REQUEST_BYTES, b"\0"))
                if socket.inet_ntoa(found[20:24]) == address:
                    return name
    raise AgentError(f"no interface is known that has the address {address}; set GLOO_SOCKET_IFNAME")
