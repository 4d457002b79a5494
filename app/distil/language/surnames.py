"""Family names that are known as such behind a given name, where none has a capital."""

import re

SURNAMES = frozenset(
    """
    acosta adams adeyemi agarwal aggarwal aguilar ahmed allen almeida alvarado alvarez alves
    andersen anderson andersson antunes araujo araújo arnold arslan avila aydin azevedo aziz
    babic bailey baker bakker balogh balogun banerjee barbieri barbosa barker barnes bauer
    baumann baumgartner beck becker beek bengtsson bennett benoit berg berger bergmann bergström
    bernard bhatia bianchi bianco bieri blanc blanchard blanco boateng boehm bondarenko bonnet
    bos bose boyer boyko brandt braun broek brouwer brown brunner bruno bui butler byrne böhm
    cabrera callaghan campbell cardoso caruso carvalho castillo castro celik cerny chan
    chatterjee chaudhry chauhan chen cheung chevalier choi chopra christensen chua claes clark
    clarke cohen collins colombo conte conti contreras cooper coppola cordero correia cortez
    costa cox cunha cunningham dabrowski davies davis dekker delgado demir desai diallo diaz
    dietrich dijk dijkstra dimitriou dlamini dogan doherty dominguez donnelly doyle doğan duarte
    dubois dufour dumitru dupont durand dvorak dvořák edwards egger ellis eriksen eriksson
    espinoza esposito evans fabbri farkas farouk faure fedorov ferguson fernandes fernandez
    ferrara ferrari ferreira ferri figueroa fischer fisher fitzgerald flores fonseca fontaine
    fontana fournier franke fraser freitas friedman friedrich fuchs gaillard gallagher galli
    gallo garcia garnier garza gauthier gentile georgiou gerber gheorghe ghosh gibson gil
    giordano girard goh goldberg goldstein gomes gomez gonzales gonzalez goossens grabowski graf
    graham greco green griffiths gruber guenther guerin guo gupta gustafsson gutierrez guzman
    günther haas haddad hahn hall hamilton hansen hansson harris harrison hartmann hassan
    hayashi heikkinen henderson hendriks hernandez herrera herrmann heuvel hill hoang hofer
    hoffmann hofmann holmes horvat horvath horváth huang huber hughes hussain huynh hwang
    hämäläinen ibrahim iglesias inoue ionescu ito ivanov ivanova iyer jackson jacobs jaeger
    james jang jankowski jansen janssen jensen jimenez johansen johansson johnsen johnson
    johnston jones jong jonsson jorgensen joshi jovanovic jovanović jung jäger järvinen jönsson
    jørgensen kaczmarek kaiser kaminska kaminski kaplan kapoor karlsen karlsson kato katz kaya
    keita keller kelly kennedy khan khanna khoury kim kimura king klein knight kobayashi koch
    koehler koenig korhonen koskinen kovacevic kovacs kovalenko kovač kovács kowalczyk kowalska
    kowalski kozlov kozlowski kraemer krause kravchenko krawczyk krishnan kristensen kristiansen
    krueger krämer krüger kucera kuhn kulkarni kumar kuznetsov kuznetsova kwiatkowski kwon
    köhler könig laine lam larsen larsson laurent lebedev leclerc lee leeuwen lefebvre lefevre
    legrand lehmann leitner lemaire leroy leung levy lewandowska lewandowski lewis liang lima
    lin lindberg lindner lindqvist lindström liu lombardi lombardo longo lopes lopez lorenz
    ludwig lundgren lundqvist lynch macdonald machado mackenzie macleod madsen maes magalhaes
    magalhães mahmoud maier maldonado malhotra malik mancini mansour marchand marchetti mariani
    marino markovic marković marques marquez marshall martin martinelli martinez martini martins
    matsumoto matthews mayer mazur mbeki mcbride mccarthy mcdonald mcguire mckenna mckenzie
    mclean medina mehta meier meijer melnyk mendez mendoza menon mensah mercier mertens meyer
    michalski miller mills mishra mitchell mizrahi moeller mohamed molina molnar monteiro moore
    morales moreau moreira morel moreno moretti morgan morozov morris moser mueller mukherjee
    mulder muller munoz murphy murray muñoz mäkelä mäkinen möller müller nagy naidu nair
    nakamura nascimento nasser navarro ndiaye nemeth neumann nguyen nielsen nieminen nikolaidis
    nikolic nikolić nilsen nilsson nkosi novak novikov novotny novák nowak o'brien o'connor
    o'neill o'reilly o'sullivan okafor okonkwo oliveira olsen olsson orlov ortega ortiz owusu
    ozturk palmer palumbo pandey papadopoulos parisi park parker patel paterson patil patterson
    pavlov pavlova pawlak pedersen peeters pellegrini pena pereira perez perrin persson peters
    petrov petrova petrovic petrović pettersen pettersson peña pfeiffer pham phan phillips
    picard pichler pillai pinto piotrowski pohl popa popescu popov popova prochazka quinn
    qureshi rahman raman ramirez ramos rao rasmussen reddy reid renard reyes reynolds ribeiro
    ricci richardson richter rinaldi rios rivera rizzo roberts robinson rocha rodrigues
    rodriguez rogers rojas romano romanov romero rosenberg rosenthal ross rossi roth rousseau
    roux ruiz russell russo sahin salazar sanchez sanna santoro santos sasaki sato satō sauer
    schaefer schmid schmidt schmitt schneider scholz schreiber schroeder schröder schubert
    schulte schulz schulze schuster schwarz schäfer scott seidel serra serrano shah shapiro
    sharma shaw sheikh shevchenko shimizu shin siddiqui silva simmons simpson singh smirnov
    smirnova smit smith sokolov sokolova sommer sorensen soto sousa souza srinivasan stein
    steinbacher steiner stevens stevenson stewart stoica suarez subramanian sullivan sutherland
    suzuki svensson svoboda szabo szabó szymanski sørensen takahashi tan tanaka tang tavares
    taylor teixeira teo thomas thompson tiwari tkachenko torres toth tran traore turner tóth
    valdez varga vargas vasquez vazquez vega verma virtanen visser vitale vogel vogt voigt
    volkov volkova vos vries wagner walker wallace wang ward watanabe watson weber weiss white
    willems williams wilson winkler wisniewski wiśniewski wojciechowski wojcik wolff wong wood
    wouters wozniak wright wójcik xu yadav yamada yamaguchi yamamoto yildiz yilmaz yoon yoshida
    zhang zhao zheng zhou zhu ziegler zielinska zielinski zimmermann çelik öztürk şahin
    """.split()
)
"""Folded. Without what as well goes on behind a given name (long, may, cook)."""

_LIKE_ONE = re.compile(
    r"[^\W\d_]{3,}(?:sson|[oe]wsk[ia]|i[nń]sk[ia]|czyk|wicz|[oe]vi[cć]|enko|escu|opoulos)"
)
_PARTICLES = r"(?:(?:d[aeo]s?|del?|d[iu]|v[ao]n|de[nr]|la|le|el|al|bin)\s+){0,2}"
_NEXT = re.compile(
    rf"\s+{_PARTICLES}(?P<last>[^\W\d_]+(?:['\u2019][^\W\d_]+)?(?:-[^\W\d_]+)?)",
    re.IGNORECASE,
)


def end_of_surname(text: str, start: int) -> int:
    """Where the family name behind a given one ends: " baker", " van dijk"; `start` for none."""
    found = _NEXT.match(text, start)
    return found.end() if found and is_surname(found["last"]) else start


def is_surname(word: str) -> bool:
    """Whether it is one, or each part of it with a hyphen: "baker-smith"."""
    folded = word.casefold().replace("\u2019", "'")
    return all(part in SURNAMES or bool(_LIKE_ONE.fullmatch(part)) for part in folded.split("-"))


def as_spelled(name: str) -> str:
    """A full name with its capitals, as long as it was: "anna van dijk", "ian o'brien"."""
    first, *others = name.split(" ")
    return " ".join([_capitals(first), *map(_capital_unless_particle, others)])


def _capital_unless_particle(word: str) -> str:
    return word if re.fullmatch(_PARTICLES, f"{word} ", re.IGNORECASE) else _capitals(word)


def _capitals(word: str) -> str:
    return re.sub(r"(?:\A|(?<=[-'\u2019])|(?<=\Amc))[^\W\d_]", lambda found: found[0].upper(), word)
