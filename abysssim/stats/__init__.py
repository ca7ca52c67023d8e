"""Estimators: arrays of sums in, arrays of estimates out.

Nothing here reads a file, plays a game or knows a Lord. Sums come with a leading group axis (256 groups an
arm in practice, at least two in principle); a group holds whole deal blocks, so groups are independent of one
another while the players of a game, and the games of a block, are not.
"""
