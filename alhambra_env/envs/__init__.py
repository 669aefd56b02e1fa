"""The environments: PettingZoo (AEC), Gymnasium (single and vector), and their registration."""
