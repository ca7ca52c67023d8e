"""A balance laboratory for the board game Abyss.

An unofficial research tool; Abyss belongs to its publisher and authors.
"""
