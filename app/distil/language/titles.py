"""What tells a man from a woman: titles, and given names that mostly one of them has."""

from collections.abc import Mapping

_TITLES = {
    "mr": "mr herr monsieur se\u00f1or senor",
    "mrs": "mrs ms frau madame se\u00f1ora senora",
    "miss": "miss mademoiselle se\u00f1orita senorita fr\u00e4ulein",
}
TITLE_OF: Mapping[str, str] = {
    said: kind for kind, several in _TITLES.items() for said in several.split()
}
"""
By a title, folded, the one that stands for all that mean the same: "mr", "mrs" or "miss".

Who has another one is somebody else. "Ms" says not whether she is married, but seldom of a girl.
"""

TITLES_OF_SOMEBODY = frozenset(_TITLES)

MEN = frozenset(
    """aaron abdul adam adrian ahmed alan albert alberto alejandro alexander alfred ali amit
    anders andreas andrew anton antonio arjun arthur ben benjamin bernard bernd bill bob boris
    brad brian bruno carl carlos charles christian christoph christopher craig dan daniel dave
    david denis dennis diego dieter dirk dominik donald douglas edgar eduardo edward emil
    enrique eric erik ernesto ethan eugene fabian felipe felix fernando filip florian
    francesco frank franz fred gareth gary geoff george gerald gerhard giovanni giuseppe
    graham greg gregory guillaume gustavo hans harald harry hassan hector heinrich hendrik
    henry herbert hiroshi horst hugo ian ivan jack jacob jake james jan jason jeff jeremy jim
    joe joel johan johannes john jon jonas jonathan jorge jose joseph josh juan julian
    j\u00fcrgen justin karl keith ken kenneth kenji kevin klaus kurt larry lars leo leon
    leonard liam louis lucas luis lukas luke manuel marc marco marcus mario mark martin matt
    matteo matthew matthias max michael miguel mike mohamed mohammed moritz nathan neil nick
    nicolas niels oliver omar oscar otto pablo patrick paul pedro peter philip pierre rafael
    rahul ralf raj ralph ray raymond ricardo richard rob robert roberto roger roland ron ross
    ryan samuel scott sean sebastian sergio simon stefan stephen steve steven stuart sven ted
    theo thomas tim timothy tobias todd tom tommy tony ulrich victor vikram vincent walter
    werner will william wolfgang""".split()
)
WOMEN = frozenset(
    """abigail adriana agnes alice alicia alison amanda amelia amy ana andrea angela anita anna
    anne annette annie astrid barbara beatrice beth bettina brenda bridget camila carla carmen
    carol carolina caroline catherine cathy cecilia charlotte chiara chloe christina christine
    clara claudia cristina daniela deborah denise diana donna dorothy eileen elaine elena
    eleanor elisa elisabeth elizabeth ella ellen emily emma erika esther eva evelyn fatima
    fiona francesca gabriela giulia gloria greta hannah heather heidi heike helen helena ida
    ingrid irene isabel isabella jana jane janet jennifer jenny jessica joan joanna johanna
    josephine joyce judith julia julie karen karin katarina kate katharina katherine kathleen
    katie katrin laura lena linda lisa louise lucia lucy magdalena mara margaret maria marie
    marina marta martha mary megan melanie melissa mia michelle miriam monica monika nadia
    nancy natalia natalie nicole nina nora olga olivia pamela patricia paula petra priya
    rachel rebecca renate rita rosa rosemary ruth sabine samantha sandra sara sarah silvia
    simone sofia sonia sophia sophie stella stephanie susan susanne sylvia tamara tanja tanya
    teresa theresa tina ulrike ursula valentina valeria vanessa vera veronica victoria
    virginia yvonne zoe""".split()
)
