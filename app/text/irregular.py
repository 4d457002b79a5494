"""
English words whose forms no ending tells: who asks when Ann did buy it is told that she bought it.

Left out is what says little, however it stands (get, give, go, keep, make, say, take, tell), and
what is another word as well, which one of the two would be taken for: bit, bore, bound, drew,
found, lay, lead, lie, lives, rose, sat, stuck, wound.
"""

from collections.abc import Mapping

_FORMS = """
bend bent, bite bitten, blow blew blown, break broke broken, build built, burn burnt,
buy bought, catch caught, choose chose chosen, deal dealt, dig dug, dream dreamt,
drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, fight fought,
flee fled, fly flew flown, forbid forbade forbidden, forgive forgave forgiven,
freeze froze frozen, grow grew grown, hang hung, hear heard, hide hid hidden, kneel knelt,
learn learnt, leave left, lend lent, lose lost, meet met, mistake mistook mistaken, ride rode
ridden, ring rang rung, seek sought, sell sold, send sent, shake shook shaken, shine shone,
shoot shot, shrink shrank shrunk, sing sang sung, sink sank sunk, sleep slept, slide slid,
speak spoke spoken, spend spent, spin spun, steal stole stolen, strike struck, swear swore
sworn, sweep swept, swim swam swum, swing swung, teach taught, tear tore torn, throw threw thrown,
understand understood, wake woke woken, wear wore worn, weave wove woven, weep wept, win won,
withdraw withdrew withdrawn, write wrote written, child children, foot feet, goose geese,
half halves, knife knives, man men, mouse mice, shelf shelves, thief thieves, tooth teeth,
wife wives, wolf wolves, woman women
"""


def irregular_forms() -> Mapping[str, str]:
    """Each form with the word that it is a form of."""
    words = (each.split() for each in _FORMS.split(","))
    return {form: base for base, *forms in words for form in forms}
