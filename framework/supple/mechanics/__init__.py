"""The seams between what moves, what touches and what is solved."""
