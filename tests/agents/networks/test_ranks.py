"""A training in several processes: the same bytes as in one, for each trainer that learns from rollouts."""

from tests.agents.networks.as_rank import digests_of
from tests.agents.networks.test_training_threads import PLAIN, POPULATION

CASES = {
    "all": {},
    "plain": {"selfplay": PLAIN},
    "population": {"selfplay": POPULATION},
    "recurrent": {"selfplay": {"network": "recurrent", "burn_in": 2}},
    "history": {"selfplay": {"network": "history"}},
}


def test_the_number_of_processes_changes_no_byte(tmp_path):
    alone, two = digests_of(CASES, tmp_path / "1", 1), digests_of(CASES, tmp_path / "2", 2)
    assert alone == two
    assert len({*alone.values()}) == len(CASES)
