"""A rollout buffer that stores observations and masks as bytes."""

from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples


class ByteBuffer(MaskableRolloutBuffer):
    """`MaskableRolloutBuffer` with int8 masks instead of float32, and fewer copies."""

    def reset(self) -> None:
        """Clear the buffer."""
        super().reset()
        self.action_masks = np.zeros((self.buffer_size, self.n_envs, self.mask_dims), np.int8)

    def _get_samples(  # type: ignore[override]  # as in the class above
        self, batch_inds: np.ndarray, env: Any = None
    ) -> MaskableRolloutBufferSamples:
        def take(array: np.ndarray) -> torch.Tensor:
            return torch.from_numpy(array[batch_inds])

        return MaskableRolloutBufferSamples(
            take(self.observations),
            take(self.actions),
            take(self.values).flatten(),
            take(self.log_probs).flatten(),
            take(self.advantages).flatten(),
            take(self.returns).flatten(),
            take(self.action_masks),
        )
