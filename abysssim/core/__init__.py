"""What both the players and the rules stand on: layout, randomness, payments, scoring."""
