"""The training run of an agent that chooses turns: PPO on top of lookahead's judgement."""

from typing import Any, Final

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from alhambra_env.agents.turn_player import TurnAgentPlayer
from alhambra_env.options import hands_name

from ..config import TurnConfig
from ..evaluation import evaluate_player
from ..networks import weights_of
from ..progress import Display
from ..run import Run, ppo_settings
from .buffer import SeatBuffer
from .env import TurnSelfPlayEnv
from .network import TurnNetwork, TurnPolicy

_MEASURED_TURNS: Final = 30
"""Turns of each game in which the features are measured: about a whole game of three."""


class TurnRun(Run):
    """Learners on several seats of each table, who are all the same network."""

    env: TurnSelfPlayEnv
    network: TurnNetwork

    def __init__(self, config: TurnConfig) -> None:
        """Create everything with new weights."""
        self.config = config
        super().__init__(config)

    def _make_model(self) -> MaskablePPO:
        config = self.config
        self.env = TurnSelfPlayEnv(
            config.ppo.num_envs,
            config.game.tables(),
            config.line_ups.shares(),
            config.bots,
            hands=hands_name(config.game.hands),
            outcome_weight=config.reward.outcome,
            margin_weight=config.reward.margin,
            seed=config.seed,
        )
        model = MaskablePPO(
            TurnPolicy,
            self.env,
            rollout_buffer_class=SeatBuffer,
            rollout_buffer_kwargs={"ledger": self.env.ledger},
            policy_kwargs=config.network.model_dump(),
            seed=config.seed,
            **ppo_settings(config.ppo),
        )
        assert isinstance(model.policy, TurnPolicy)
        self.network = model.policy.network
        return model

    def prepare(self, display: Display) -> None:
        """Measure the features in games of the new network, which plays like a soft `lookahead`."""
        features = self.env.reset()
        seen, masks = [], []
        for _ in range(_MEASURED_TURNS):
            seen.append(torch.from_numpy(features))
            masks.append(torch.from_numpy(self.env.action_masks().copy()))
            with torch.no_grad():
                chosen = self._model.policy(seen[-1], False, masks[-1])[0]
            features = np.asarray(self.env.step(chosen.numpy())[0])
        self.network.measure(torch.cat(seen), torch.cat(masks))

    def learn(self) -> None:
        """Collect a rollout and update the policy; the first updates train the critic only."""
        update = self.steps // (self.config.ppo.num_envs * self.config.ppo.rollout)
        self.network.learn_policy(update >= self.config.ppo.critic_updates)
        super().learn()

    def refresh_opponents(self) -> None:
        """Do nothing: the learners are their own opponents."""

    def evaluate(self) -> None:
        """Evaluate against bots at tables of each size, for the next row of the learning curve."""
        config = self.config
        player = TurnAgentPlayer(
            weights_of(self.agent),
            config.network.scale,
            "learner",
            hands_name(config.game.hands),
        )
        tables = config.game.tables()
        first = next(iter(tables)).edition
        for rules in tables:
            if rules.edition == first:
                self._row |= evaluate_player(player, config, rules)

    def _save_games(self) -> dict[str, Any]:
        return {"env": self.env.save()}

    def _load_games(self, resume: dict[str, Any]) -> int:
        self._model._last_obs, replaced = self.env.load(resume["env"])
        return replaced
