"""Figures, tables and the page that a study is told with."""
