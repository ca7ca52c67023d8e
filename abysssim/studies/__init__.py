"""The questions put to the game, one file each: what is played, what is summed up, what is estimated."""
