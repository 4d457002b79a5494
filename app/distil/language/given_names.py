"""Given names that say who somebody is also where they are typed without a capital."""

GIVEN_NAMES = frozenset(
    """
    aaron abby abdul abel abigail abraham adam adele adrian adriana agnes agnieszka ahmed aiden
    aisha akira alan albert alberto alejandra alejandro aleksander aleksandra alessandro alex
    alexander alexandra alexandre alexis alfonso alfred ali alice alicia alina alison allison
    alvaro amanda amelia amina amir amit amy ana anastasia anders andrea andreas andrei andres
    andrew andrzej andy anil anita anja anjali anke anna annabel annabelle anne annette annie
    antoine anton antonia antonio anya arjun arlo armando arthur arturo arun asha ashley astrid
    audrey aurelie ayesha ayse barbara bartek beatrice beatriz becca becky ben benedikt benjamin
    bernard bernd beth bettina bill birgit björn bob bobby boris brad bradley brandon brenda
    brent brian bridget brittany brooke bruno bryan callum cameron camila camille carla carlos
    carmen carol carolina caroline carsten catherine cathy cecile cecilia celine charles charlie
    charlotte chiara chloe chris christina christine christoph christophe christopher ciara
    cindy clara clarissa claudia clement connor conor corinne craig cristina dagmar damian
    damien dan dana daniel daniela danielle danny daphne darren dave david dawid debbie deborah
    deepak deirdre delphine denis denise dennis derek diana diane diego dieter dimitri dirk
    dmitri dmitry dominik dominique donna dorothy doug douglas drew duncan dylan edgar edith
    eduardo edward eileen eirik elaine eleanor elena eli elias elijah elin elisa elisabeth elise
    eliza elizabeth ella ellen ellie elliot eloise elsa emanuel emil emilia emilie emilio emily
    emma emmanuel enrico enrique eric erica erik erika erin ernesto esteban esther ethan eugene
    eva evelyn ewa fabian fabio farah fatima federico felicia felipe fernanda fernando filip
    finn fiona florian francesca francesco francine francis francisco francois franz françois
    freddie frederic frederik frida frieda friedrich gabby gabriel gabriela gareth gary gavin
    geoff george gerald gerard gerd giovanni giulia giuseppe gloria gonzalo gordon graham greg
    gregor gregory greta guillaume gunnar gustav gustavo hamza hana hannah hans harald harriet
    harry harvey hassan heather hector heidi heike heinrich helen helena helene helga hendrik
    henri henrik henry herbert hiroshi holger horst hugh hugo hussein ian ibrahim ida ignacio
    igor ilse imran ingrid irene irina isabel isabella isabelle isla ivan jack jackie jackson
    jacob jacqueline jacques jaime jake jakob jakub jamal james jamie jana jane janet janice
    jannik jason jasper javier jeanne jeff jeffrey jelena jen jenna jennifer jenny jeremy jerome
    jessica jessie jim jimena jimmy jo joachim joan joana joanna joanne joao jochen joe joel
    johan johann johanna johannes john johnny jon jonas jonathan jordi jorge jose joseph
    josephine josh joshua josé joão juan juanita judith judy jukka julian juliana julie julien
    juliet juliette julio julius jürgen kaja kamil karel karen karim karin karina karl karla
    karolina karsten kasia kate katerina katharina katherine kathleen kathrin kathy katie katja
    katrin katya kazuki keith kelly kelvin kenji kenneth kevin khalid kim kimberly kirsten klara
    klaus konrad krishna kristen kristin kristina kristof krzysztof kurt kyle lara larissa lars
    laszlo laura lauren laurence laurent lea leah leila lena leo leon leonardo leonie leslie
    lewis liam lidia liliana lina linda lisa liz lorena lorenzo lotte louis louisa louise luca
    lucas lucia lucie lucinda lucy luis luisa lukas lukasz luke lydia maciej maddie madeleine
    madison magda magdalena maja malcolm malik manfred manuel manuela mara marcel marcela
    marcelo marcia marcin marco marcos marcus margaret margarita margot maria mariana marianne
    marie marija marina mario marion marius marjorie mark marko markus marlene marta martha
    martin martina marty mary maryam mateo mateus mathias mathieu mathilde matilda matt matteo
    matthew matthias mattias maud maurice mauricio maximilian maya megan mehmet melanie melissa
    mia michael michaela michal michał michel michele michelle mick miguel mikael mike mikhail
    mila milan milena mina miranda miriam mitch mohamed mohammad mohammed moira molly mona
    monica monika morgane moritz moses muhammad murat mustafa nadia nadine nancy naomi natalia
    natalie natasha nathalie nathan nathaniel neha neil nicholas nick nicky nico nicola nicolas
    nicole niels nigel nikhil niklas nikolai nikos nils nina noah noemi nora norbert norma
    oksana ole oleg olga oliver olivia olivier omar oscar oskar otto owen pablo pamela paola
    paolo pascal patricia patrick patrik paul paula paulina pauline paulo pavel pawel pedro
    peggy penelope peter petra phil philip philipp philippa philippe phillip phoebe pierre pilar
    piotr polly prakash priya quentin rachel radek rafael rahul raj rajesh ralf ralph ramon
    ramona raphael raquel raul rebecca regina reinhard renata renate rené ricardo riccardo
    richard ricky riley rita rob robert roberta roberto rocio rodrigo roger rohan roland rolf
    romain romana ronald ronja rosa rosalind rosanna rosemary rosie roxanne ruben rudolf rupert
    russell ruth ryan sabine sabrina sadie sakura salma sam samantha samir samuel sandra sanjay
    santiago sara sarah sascha sasha saskia scott sean sebastian serena sergei sergey sergio
    shannon sharon shaun sheila shirley shreya siegfried sigrid silke silvia simon simone sinead
    siobhan sofia sofie sonia sonja sophia sophie soren stacey stan stefan stefania stefanie
    stella stephan stephanie stephen steve steven stuart susan susanna susanne suzanne svea sven
    svetlana sylvia sylvie søren tadeusz takashi tamara tanja tanya tara tatiana ted teresa
    terry thea theo theodore theresa therese thiago thibault thomas thorsten tiago tilda tim
    timothy tina tobias toby todd tom tomas tomasz tommy toni tony torsten tracy trevor trish
    tristan tyler ulrich ulrike ursula uwe valentina valeria valerie vanessa vera veronica
    veronika vicky victor victoria vijay viktor viktoria vincent vincenzo vivian vivien vlad
    vladimir walter wanda wei wendy werner wesley wilhelm wilma wojciech wolfgang xavier yasmin
    yuki yuri yusuf yvette yvonne zachary zahra zara zoe zofia zoë zsofia
    """.split()
)
"""Folded. Without what is as well said of oneself (frank, rich, christian), or a thing (ruby)."""
