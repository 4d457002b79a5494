"""Words that rules know: kinds of tools, kin, occupations, and what is no name."""

from collections.abc import Mapping

_TOOLS = {
    "database": """postgresql postgres mysql mariadb sqlite mongodb mongo cockroachdb dynamodb
        cassandra oracle duckdb clickhouse firebird couchdb neo4j""",
    "cache": "redis memcached valkey",
    "vector store": "qdrant pinecone weaviate milvus chroma pgvector faiss",
    "queue": "kafka rabbitmq nats sqs pulsar celery",
    "language": """python rust go golang java kotlin typescript javascript ruby elixir scala swift
        haskell c# c++ php""",
    "framework": """fastapi django flask rails spring express nestjs react vue svelte angular
        next.js laravel starlette""",
    "editor": "vim neovim emacs vscode pycharm intellij sublime helix zed",
    "ci": "jenkins circleci travis",
    "orchestrator": "kubernetes k8s nomad",
    "cloud": "aws azure gcp hetzner",
    "operating system": "linux windows macos ubuntu debian fedora nixos",
    "test runner": "pytest jest vitest unittest mocha",
    "package manager": "npm pnpm yarn poetry pip pipenv uv conda",
}
_SPELLED = {"visual studio code": "editor", "github actions": "ci", "gitlab ci": "ci"}
_SPELLED |= {"google cloud": "cloud", "vs code": "editor", "sql server": "database"}

KIND_OF_TOOL: Mapping[str, str] = _SPELLED | {
    name: kind for kind, names in _TOOLS.items() for name in names.split()
}
"""What a tool is, by its folded name. A fact's attribute, of which one holds at a time."""

PROGRAMS = frozenset(
    """notion evernote obsidian onenote firefox chromium gmail outlook thunderbird slack discord
    zoom whatsapp telegram mattermost trello jira asana todoist figma canva photoshop excel airtable
    android iphone ios github gitlab bitbucket dropbox spotify netflix stripe adyen paypal braintree
    mollie klarna datadog grafana prometheus newrelic splunk sentry pagerduty opsgenie snowflake
    bigquery redshift heroku vercel netlify render cloudflare fastly akamai auth0 okta keycloak
    twilio sendgrid mailgun postmark mailchimp segment mixpanel amplitude hubspot salesforce zendesk
    intercom freshdesk shopify magento woocommerce wordpress wix squarespace contentful linear
    clickup basecamp confluence webex skype teams signal terraform pulumi ansible webpack vite
    eslint prettier supabase firebase planetscale databricks looker tableau docusign xero quickbooks
    sage docker podman node deno bun""".split()
)
"""What people move to as well, and do not live in."""

DEPARTMENTS = frozenset(
    "sales marketing accounting finance engineering support operations legal procurement hr".split()
)
"""Parts of a company: who is from one, or moved to it, does not live there."""

OTHER_WORDS = frozenset(
    """express windows angular sublime cassandra
    mark hope rose grace bill jack joy faith drew art rob frank chase sue pat dawn dean summer april
    june august may will rich sandy ray gene miles max chip bob carol daisy lily ivy iris ruby amber
    violet olive jade pearl crystal melody harmony destiny chance hunter mason cooper baker cook
    apple amazon oracle target square shell gap stripe slack zoom meta
    reading bath nice split orange turkey china
    go rust swift ruby yarn flask rails spring react jest mocha helix nats chroma poetry elixir
    next""".split()
)
"""Words that in lower case are mostly not the tool, the person or the place that is called so."""

TOOL_KINDS = frozenset(KIND_OF_TOOL.values())

SAME_NAME: Mapping[str, str] = {
    "postgres": "postgresql", "mongo": "mongodb", "golang": "go", "k8s": "kubernetes",
    "vs code": "vscode", "visual studio code": "vscode", "js": "javascript", "ts": "typescript",
    "py": "python",
}  # fmt: skip
"""What has two folded names, by its other one."""

ONE_OF_A_KIND = frozenset(
    """wife husband partner spouse mother father mum mom dad fiance fiancee boss manager
    employer""".split()
)
SEVERAL_OF_KIN = frozenset(
    """kids children parents grandparents sons daughters brothers sisters cats dogs grandchildren
    grandkids""".split()
)
_ONE_OF_SOME = frozenset(
    """sister brother son daughter grandmother grandfather grandma grandpa aunt uncle cousin niece
    nephew girlfriend boyfriend roommate flatmate colleague friend neighbour neighbor baby child dog
    gf bf cat horse rabbit parrot puppy kitten hamster car boat company team project""".split()
)
ONE_OF_FEW = ONE_OF_A_KIND | frozenset(
    "son daughter sister brother girlfriend boyfriend gf bf".split()
)
"""Of whom people tell as if there were but one: of friends no one knows later which it was."""

KIN = ONE_OF_A_KIND | SEVERAL_OF_KIN | _ONE_OF_SOME

OCCUPATIONS = frozenset(
    """teacher nurse doctor engineer developer programmer designer lawyer student baker chef cook
    architect writer journalist accountant plumber electrician carpenter farmer pilot scientist
    researcher professor lecturer manager consultant analyst administrator librarian translator
    photographer musician painter mechanic pharmacist physicist chemist biologist dentist surgeon
    therapist psychologist vet paramedic firefighter barista waiter waitress salesman realtor
    freelancer contractor gardener tailor driver postman editor midwife judge notary banker
    mathematician economist historian sysadmin tester""".split()
)
EMPLOYERS = frozenset(
    """google|alphabet|apple|microsoft|amazon|meta|ibm|intel|nvidia|amd|oracle|sap|siemens|bosch
    |bmw|volkswagen|mercedes|porsche|audi|toyota|honda|tesla|spacex|boeing|airbus|lufthansa
    |deloitte|accenture|mckinsey|kpmg|pwc|goldman sachs|morgan stanley|deutsche bank
    |deutsche telekom|salesforce|adobe|cisco|dell|hp|samsung|sony|nokia|ericsson|philips|basf|bayer
    |novartis|roche|nestle|unilever|pfizer|stripe|shopify|openai|anthropic|deepmind|databricks
    |palantir|qualcomm|zalando|klarna|allianz|red hat|mozilla|jetbrains|vmware|atlassian|hubspot
    |acme|initech|contoso""".replace("\n    ", "").split("|")
)
"""
Who is known for giving work, folded: of them "left" and "joined" speak of that.

Without those that one joins otherwise, or goes to: no networks, no shops.
"""

NO_WORKPLACES = frozenset(
    """home night nights noon lunch least all most work school uni university college church sea
    height heights speed scale dawn dusk present random best worst odd weekends weekend hospital
    hospitals retail free fun money clients client myself ourselves himself herself themselves
    them him her you us me food hours days weeks months years ages peanuts cash nobody everyone
    several many few different various local big small large government companies startups
    charity commission example instance real good sure half full part minimum government christmas
    music science politics netflix""".split()
)
"""What people work at, and for, and nobody is employed by, folded."""

STATES_OF_MIND = frozenset(
    """fear peace hope denial chaos poverty harmony luxury isolation exile sin darkness silence
    misery squalor style comfort paradise hell heaven""".split()
)
"""What people live in that is no place."""

DIETS = (
    "vegan|vegetarian|pescatarian|teetotal|lactose[ -]intolerant|gluten[ -](?:intolerant|free)"
    "|coeliac|celiac"
)
LANGUAGES = frozenset(
    """english german french spanish italian portuguese dutch swedish danish norwegian finnish
    polish
    czech slovak hungarian romanian bulgarian greek turkish russian ukrainian arabic hebrew farsi
    persian hindi urdu bengali tamil thai vietnamese mandarin cantonese chinese japanese korean
    catalan basque croatian serbian slovenian latin esperanto swahili welsh irish
    icelandic tagalog filipino malay indonesian afrikaans yoruba igbo zulu amharic armenian
    albanian lithuanian latvian estonian punjabi gujarati marathi telugu kannada malayalam sinhala
    nepali pashto kurdish kazakh uzbek mongolian khmer burmese luxembourgish gaelic maltese
    galician macedonian bosnian xhosa somali hausa""".split()
)
PLAYED = frozenset(
    """cello piano violin viola guitar bass drums flute clarinet trumpet saxophone organ harp
    ukulele
    accordion tennis football soccer chess basketball volleyball handball hockey golf squash
    badminton rugby cricket""".split()
)
POSSESSIONS = frozenset(
    """dog dogs cat cats kid kids child children son sons daughter daughters brother brothers sister
    sisters horse rabbit parrot car bike motorcycle house flat apartment garden allotment boat
    campervan van piano tattoo twins""".split()
)
TOLD_NOUNS = frozenset(
    """deadline budget port address server version limit repo repository branch region domain url
    host hostname email phone number database language framework editor timezone birthday pronouns
    cache queue cloud bucket cluster endpoint channel room code rate runner tracker license
    licence launch release offsite conference wedding flight appointment interview exam
    demo""".split()
)
"""Nouns of "the … is …" whose value is worth keeping; never a password, key or token."""

MEASURES = frozenset({"height", "weight", "blood type", "shoe size", "ring size"})
"""What is told of one's own body, of which one holds at a time."""

VERBS_OF_RULES = frozenset(
    """use commit push write add merge deploy reply answer respond send include put run delete ask
    mention suggest import mock change format log store book explain translate speak
    make create test check review sign rename remove install assume repeat apply
    follow prefer wrap indent document cite link share post schedule contact notify round return
    print call address refer type name sort validate escape quote """.split()
)
VERBS_OF_ONE_OFF_RULES = frozenset(
    "use commit push write add merge deploy include import mock mention suggest".split()
)
"""After a mere "don't", which others than these mostly make a remark about the moment."""

NOTED = frozenset(
    """met called emailed e-mailed mailed saw asked told sent visited spoke phoned rang texted
    messaged pinged contacted interviewed reminded thanked invited introduced briefed pitched
    demoed onboarded followed chased""".split()
)
"""Verbs by which notes begin that leave out who did it: "Met Northwind re renewal"."""

CALENDAR = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may
    june
    july august september october november december yesterday today tomorrow tonight
    mondays tuesdays wednesdays thursdays fridays saturdays sundays christmas easter""".split()
)
PEOPLES = frozenset(
    """german french dutch greek czech thai swiss british irish welsh american english spanish
    portuguese polish danish swedish finnish turkish italian russian norwegian canadian belgian
    austrian chinese japanese korean indian mexican brazilian catholic muslim jewish christian
    buddhist""".split()
)
NO_NAMES = frozenset(
    """i it this that these those he she they you we there here what who which where when why how
    everyone everybody nobody someone somebody anyone people the a an my our your his her their its
    if as so and but or not no yes please one some many most all each every both nothing something
    life time in on at for with to from by after before once then now also maybe ok okay well thanks
    sorry never always let just only even still again hi hello hey oh dear do does did is are was
    were will would can could should may might must have has had me us him them mine yours ours
    theirs myself yourself himself herself itself ourselves yourselves themselves""".split()
)
"""Words that begin a sentence with a capital and name nobody, folded."""

TIMES = frozenset(
    """morning afternoon evening night noon midday midnight day days week weeks weekend weekends
    weekday weekdays month months year years quarter season spring summer autumn fall winter
    halloween thanksgiving hanukkah diwali ramadan eid lent passover""".split()
)
"""Parts of days and years, and holidays: a name holds them, but is none of them alone."""

COUNTED = frozenset(
    """step task phase part chapter section sprint level option figure table page round stage item
    question version episode season lesson module unit volume exercise appendix""".split()
)
"""What a number behind it tells one of: "Step 3"."""

INITIALS = frozenset(
    """ac aest aka am asap atm bigint bpm bsc bst cd cdt cest cet check ci cm cpu css cst csv
    cv dba decimal default delete diy dns dpi dvd edt eest eet enum eod eow est eta false faq
    fixme foreign fps from fyi gb get ghz gmt gps gpu html http https id imho imo index insert
    int ip ist join json jst kb kg khz km kpi kw kwh mb mba mdt mhz ml mm msc mst mvp nda null
    okr os patch pb pdf pdt phd pin pm poc post pr primary pst put px ram rest rip roi rpm rsvp
    select sla slo sql ssd ssl tb tba tbd tcp tldr tls todo true tv udp ui unique update uri
    url usb utc ux varchar vat wet where xml""".split()
)
"""What letters stand for that name nobody and nothing: units, time zones, words of everyday."""

TITLES = frozenset(
    """director president ceo cto cfo coo vp chair chairman chairwoman founder co-founder intern
    trainee attorney executor supervisor landlord coach mentor secretary treasurer officer assistant
    representative specialist expert lead
    colleague neighbour neighbor boss coworker co-worker classmate roommate""".split()
)
"""What people are to others, beside kin and occupations."""

EXCLAMATIONS = frozenset(
    """totally absolutely definitely really actually honestly btw wow yeah yep yup nope cool nice
    great awesome sure sounds glad congrats congratulations lol omg haha mon tue tues wed thu thur
    thurs fri sat sun mr mrs ms dr prof herr frau miss monsieur madame mademoiselle se\u00f1or
    se\u00f1ora se\u00f1orita fr\u00e4ulein feb apr jul aug sept oct nov dec""".split()
)
"""Words that often stand with a capital and are nobody's name, folded."""
