"""Names of places that are known to all: countries, states and other regions, large cities."""

import re


def _names(listed: str) -> tuple[str, ...]:
    return tuple(re.sub(r"\n\s+", "", listed).split("|"))


REGIONS = _names(
    """Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia
    |Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts
    |Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey
    |New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania
    |Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington
    |West Virginia|Wisconsin|Wyoming|Puerto Rico|Alberta|British Columbia|Manitoba|New Brunswick
    |Newfoundland|Nova Scotia|Ontario|Quebec|Saskatchewan|Victoria|Queensland|Tasmania
    |New South Wales|Western Australia|South Australia|Bavaria|Saxony|Hesse|Tuscany|Sicily
    |Lombardy|Catalonia|Andalusia|Brittany|Normandy|Provence|Flanders|Wallonia|Tyrol|Styria
    |Carinthia|Kerala|Punjab|Gujarat|Karnataka|Maharashtra|Tamil Nadu|Yorkshire|Cornwall|Kent
    |Devon|Sussex|Surrey|Essex"""
)
COUNTRIES = _names(
    """Albania|Algeria|Argentina|Armenia|Australia|Austria|Azerbaijan|Bangladesh|Belarus|Belgium
    |Bolivia|Bosnia|Brazil|Bulgaria|Cambodia|Cameroon|Canada|Chile|China|Colombia|Costa Rica
    |Croatia|Cuba|Cyprus|Czechia|Czech Republic|Denmark|Ecuador|Egypt|England|Estonia|Ethiopia
    |Finland|France|Germany|Ghana|Greece|Guatemala|Hungary|Iceland|India|Indonesia|Iran|Iraq
    |Ireland|Israel|Italy|Jamaica|Japan|Jordan|Kazakhstan|Kenya|Kosovo|Kuwait|Latvia|Lebanon
    |Lithuania|Luxembourg|Malaysia|Malta|Mexico|Moldova|Montenegro|Morocco|Nepal|Netherlands
    |New Zealand|Nicaragua|Nigeria|North Macedonia|Northern Ireland|Norway|Oman|Pakistan|Panama
    |Paraguay|Peru|Philippines|Poland|Portugal|Qatar|Romania|Russia|Saudi Arabia|Scotland
    |Senegal|Serbia|Singapore|Slovakia|Slovenia|South Africa|South Korea|Korea|Spain|Sri Lanka
    |Sudan|Sweden|Switzerland|Syria|Taiwan|Tanzania|Thailand|Tunisia|Turkey|Uganda|Ukraine
    |United Arab Emirates|United Kingdom|United States|Uruguay|Uzbekistan|Venezuela|Vietnam
    |Wales|Zambia|Zimbabwe"""
)
CITIES = _names(
    """Aarhus|Abu Dhabi|Accra|Addis Ababa|Amsterdam|Ankara|Antwerp|Athens|Atlanta|Auckland|Baghdad
    |Bangalore|Bangkok|Barcelona|Basel|Beijing|Beirut|Belfast|Belgrade|Berlin|Bern|Bilbao
    |Birmingham|Bogotá|Bologna|Bonn|Bordeaux|Boston|Braga|Bratislava|Bremen|Brisbane|Bristol
    |Brno|Brooklyn|Brussels|Bucharest|Budapest|Buenos Aires|Busan|Cairo|Calgary|Cape Town
    |Caracas|Casablanca|Chennai|Chicago|Cologne|Copenhagen|Cork|Dakar|Dallas|Damascus|Delhi
    |Denver|Detroit|Dhaka|Dresden|Dubai|Dublin|Dubrovnik|Düsseldorf|Edinburgh|Eindhoven
    |Frankfurt|Galway|Gdańsk|Geneva|Genoa|Ghent|Glasgow|Gothenburg|Granada|Graz|Haifa|Hamburg
    |Hanoi|Havana|Heidelberg|Helsinki|Hiroshima|Ho Chi Minh City|Hong Kong|Honolulu|Houston
    |Hyderabad|Innsbruck|Istanbul|Jakarta|Jerusalem|Johannesburg|Karachi|Kathmandu|Kigali|Kraków
    |Krakow|Kuala Lumpur|Kyiv|Kyoto|Lagos|Lahore|Las Vegas|Leeds|Leipzig|Lima|Linz|Lisbon
    |Liverpool|Ljubljana|London|Los Angeles|Lyon|Madrid|Malaga|Málaga|Malmö|Manchester|Manhattan
    |Manila|Marrakesh|Marseille|Medellín|Melbourne|Mexico City|Miami|Milan|Minneapolis|Montreal
    |Moscow|Mumbai|Munich|Nagoya|Nairobi|Nantes|Naples|Nashville|New Delhi|New Orleans
    |New York City|Newcastle|Nuremberg|Osaka|Oslo|Ottawa|Oxford|Palermo|Paris|Philadelphia
    |Pittsburgh|Portland|Porto|Prague|Pune|Quito|Reykjavik|Riga|Rio de Janeiro|Riyadh|Rome
    |Rotterdam|Sacramento|Salzburg|San Diego|San Francisco|San José|San Jose|Santiago|São Paulo
    |Sapporo|Sarajevo|Seattle|Seoul|Seville|Shanghai|Shenzhen|Sofia|Stockholm|Strasbourg
    |Stuttgart|Sydney|Taipei|Tallinn|Tampa|Tbilisi|Tehran|Tel Aviv|The Hague|Thessaloniki|Tokyo
    |Toronto|Toulouse|Trieste|Tucson|Turin|Utrecht|Valencia|Vancouver|Venice|Vienna|Vilnius
    |Warsaw|Washington DC|Wellington|Winnipeg|Wrocław|Yerevan|Zagreb|Zürich|Zurich|Africa
    |Antarctica|Asia|Europe|Scandinavia|Bali|Crete|Hokkaido|Ibiza|Mallorca|Silicon Valley
    |Yellowstone|Yosemite"""
)
"""With a few islands, parks and continents."""
