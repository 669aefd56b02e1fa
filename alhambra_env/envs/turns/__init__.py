"""The environments of whole turns: Gymnasium (single and vector) and PettingZoo (AEC)."""
