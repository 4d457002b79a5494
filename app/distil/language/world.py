"""Names that are known to all: what has one of these with a capital is that, wherever it stands."""

import re
from collections.abc import Mapping

from app.distil.language.given_names import GIVEN_NAMES
from app.distil.language.lexicon import OTHER_WORDS
from app.distil.language.places import CITIES, COUNTRIES, REGIONS
from app.domain.entities import EntityType

_ORGANISATIONS = """Accenture|Adidas|Airbnb|Airbus|Alibaba|Allianz|Anthropic|Asics|Atlassian|Audi
    |BASF|BBC|BMW|Boeing|Bosch
    |Carrefour|Cisco|CNN|Coca-Cola|Databricks|DeepMind|Deloitte|Deutsche Bahn
    |Deutsche Bank|Deutsche Telekom|DHL|eBay|Ericsson|Etsy|FedEx|Fujitsu|Goldman Sachs|Google
    |Harvard|Heineken|Hitachi|Honda|Huawei|Hyundai|IBM|Ikea|IKEA|JetBrains|JPMorgan|Klarna|KLM
    |KPMG|Lego|LEGO|Lidl|Lufthansa|McDonald's|McKinsey|Michelin|Microsoft|Mitsubishi
    |Morgan Stanley|Mozilla|NASA|Nestlé|Nike|Nintendo|Nissan|Nokia|Novartis|Nvidia|NVIDIA|OpenAI
    |Palantir|Panasonic|PayPal|Pepsi|Pfizer|Philips|Pixar|Porsche|Qualcomm|Ryanair|Salesforce
    |Samsung|SAP|Shopify|Siemens|Sony|SpaceX|Stanford|Starbucks|Tesco|Tesla|Toyota|Unilever
    |UNICEF|Verizon|VMware|Vodafone|Volkswagen|Volvo|Walmart|Wikipedia|Zalando|Unesco|UNESCO
    |Nasdaq|Allbirds|Lululemon|Greenpeace|Oxfam|Interpol|Europol|Netflix|Disney|Warner Bros|HBO
    |Hulu|Reuters|The New York Times|Washington Post|The Guardian|Der Spiegel"""
_PRODUCTS = """Airtable|Android|Ansible|Asana|Bitbucket|Bitcoin|Bitwarden|Bluesky|Calendly
    |Canva|ChatGPT|Chrome|Clockify|Cloudflare|Coursera|Datadog|Docker|Dropbox|Duolingo|ESLint|Ethereum
    |Eventbrite|Evernote|Facebook|Figma|Firebase|Firefox|FreshRSS|Gmail|Google Calendar
    |Google Docs|Google Drive|Google Maps|Google Meet|Google Sheets|Grafana|Grammarly|Gunicorn
    |Heroku|Hootsuite|Hugging Face|IFTTT|iCloud|Instagram|iOS|Investopedia|Jenkins|Jira|JSTOR
    |Jupyter|Kaggle|Keycloak|Khan Academy|Kickstarter|Kubernetes|LastPass|LaTeX|LibreOffice
    |Loggly|Mailchimp|Mastodon|Matplotlib|Mattermost|Mendeley|Microsoft Excel|Microsoft Teams
    |Microsoft Word|Minecraft|Netlify|Nginx|NumPy|Ollama|OneDrive|OneNote|OpenStreetMap|Patreon
    |Photoshop|Pinterest|PlayStation|Power BI|Prometheus|Pytest|Quora|Qdrant|Quizlet
    |Raspberry Pi|Reddit|Redis|RescueTime|Scrivener|SharePoint|Shazam|Siri|Skillshare|Skype
    |Snapchat|SonarQube|Spotify|Squarespace|Stack Overflow|Strava|Supabase|SurveyMonkey
    |Tailscale|TensorFlow|Terraform|TikTok|Todoist|Toggl|Trello|Tumblr|Turnitin|Twilio|Twitter
    |Udemy|Vercel|Vimeo|VirtualBox|Webpack|WeChat|WeTransfer|WhatsApp|WordPress|Xbox|YouTube
    |Zapier|Zendesk|Zoho|Zotero"""


_PEOPLE_AND_THINGS_TOO = frozenset(
    """georgia virginia washington kent devon jordan cork victoria provence cologne bologna manila
    kerala sussex essex surrey hesse normandy""".split()
)

_NOT_FOR_SURE = OTHER_WORDS | GIVEN_NAMES | _PEOPLE_AND_THINGS_TOO


def _table(names: tuple[str, ...] | str, kind: EntityType) -> Mapping[str, EntityType]:
    several = re.sub(r"\n\s+", "", names).split("|") if isinstance(names, str) else names
    folded = (each.casefold() for each in several)
    return {each: kind for each in folded if each not in _NOT_FOR_SURE}


WORLD: Mapping[str, EntityType] = {
    **_table(REGIONS + COUNTRIES + CITIES, EntityType.PLACE),
    **_table(_PRODUCTS, EntityType.PRODUCT),
    **_table(_ORGANISATIONS, EntityType.ORGANISATION),
}
"""What has a name that is no other word and nobody's, folded."""

MOST_WORDS = max(1 + each.count(" ") for each in WORLD)
