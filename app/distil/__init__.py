"""
What a conversation comes down to: facts, importance, entities, summaries. Pure and by rules.

Text in, frozen values out; no clock, no I/O. Where a rule could be right or wrong it stays silent.
The rules read English: of other languages they say little, and nothing wrong.
"""
