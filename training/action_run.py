"""The training run of an agent that chooses single actions: imitation, then self-play with PPO."""

from functools import partial
from typing import Any

from sb3_contrib import MaskablePPO

from alhambra_env.agents.network import check_weights

from .buffer import ByteBuffer
from .checkpoint import shapes_of
from .config import Config
from .evaluation import evaluate_all
from .imitation import imitate
from .networks import ChoiceNetwork, ChoicePolicy
from .pool import Pool
from .progress import Display
from .run import Run, ppo_settings
from .vec_env import SelfPlayEnv


class ActionRun(Run):
    """A learner with its environment, its opponent pool and its learning curve."""

    env: SelfPlayEnv
    network: ChoiceNetwork

    def __init__(self, config: Config) -> None:
        """Create everything with new weights."""
        self.config = config
        super().__init__(config)
        self.pool = Pool(self.network, config.pool.size, config.pool.active, config.seed)

    def _make_model(self) -> MaskablePPO:
        config = self.config
        self.env = make_env(config, config.seed)
        model = MaskablePPO(
            ChoicePolicy,
            self.env,
            rollout_buffer_class=ByteBuffer,
            policy_kwargs={"layout": self.env.layout, **config.network.model_dump()},
            seed=config.seed,
            **ppo_settings(config.ppo),
        )
        assert isinstance(model.policy, ChoicePolicy)
        self.network = model.policy.network
        return model

    def prepare(self, display: Display) -> None:
        """Imitate the teacher, and take a first snapshot."""
        imitate(self.network, self.config, partial(display.imitated, self.config.imitation))
        self.take_snapshot()

    def refresh_opponents(self) -> None:
        """Add a snapshot of the learner to the opponent pool, if it is time."""
        if self.is_due(self.config.pool.every):
            self.take_snapshot()

    def take_snapshot(self) -> None:
        """Add a snapshot of the learner to the opponent pool."""
        self.env.set_policies(self.pool.add())

    def evaluate(self) -> None:
        """Evaluate against bots in the arena, for the next row of the learning curve."""
        agent = self.agent
        assert isinstance(agent, ChoiceNetwork)
        self._row |= evaluate_all(agent, self.config)

    def _save_games(self) -> dict[str, Any]:
        return {"pool": self.pool.save(), "env": self.env.save()}

    def _load_games(self, resume: dict[str, Any]) -> int:
        shapes = shapes_of(self.config)
        for snapshot in resume["pool"]["snapshots"]:
            check_weights(snapshot, shapes)
        self.pool.load(resume["pool"])
        self.env.set_policies(self.pool.players())
        self._model._last_obs, redrawn = self.env.load(resume["env"])
        return redrawn


def make_env(config: Config, seed: int) -> SelfPlayEnv:
    """Return the games of a run."""
    game = config.game
    return SelfPlayEnv(
        config.ppo.num_envs,
        game.num_players,
        config.opponents,
        outcome_weight=config.reward.outcome,
        margin_weight=config.reward.margin,
        edition=game.rules().edition,
        hands=game.layout().hands,
        pieces=game.layout().pieces,
        max_turns=game.max_turns,
        seed=seed,
    )
