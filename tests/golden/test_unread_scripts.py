"""Memory in a script that the default model does not read, which takes all of it for alike."""

import pytest

from app.settings import Settings
from tests.api.speaking import Json, contents, context, settings_for, store, talking_to
from tests.databases import run_apart
from tests.fakes_embedder import a_compiled_model

RUSSIAN = (
    "Кофемашина на третьем этаже снова сломалась.",
    "Клиент из Казани просит скидку пять процентов.",
    "Я записался к стоматологу на пятницу.",
    "Сын получил пятёрку по математике.",
    "Поезд в Петербург отправляется в 7:45.",
    "Мама варит борщ по воскресеньям.",
    "Сестра работает врачом в детской больнице.",
    "Велосипед стоит в подвале, ключ лежит там же.",
    "Оля учит испанский язык третий год.",
    "Весной посадили яблони, сливы, груши.",
    "Батарейки для пульта лежат в верхнем ящике.",
    "Рейс из Сочи задержали на четыре часа.",
)
CHINESE = (
    "明天下午三点开会。",
    "妈妈做的红烧肉很好吃。",
    "地铁十号线今天停运。",
    "我的护照明年三月到期。",
    "小王负责前端开发。",
    "打印机没有纸了。",
    "孩子的钢琴课改到星期四。",
    "客户要求打九折。",
    "冰箱里还有牛奶。",
    "机场大巴六点发车。",
    "他搬到深圳去了。",
    "晚饭吃火锅。",
)
THAI = (
    "ลูกสาวแพ้ถั่วลิสง",
    "แมวของเราชื่อส้ม อายุสามปี",
    "เซิร์ฟเวอร์อยู่ที่เชียงใหม่",
    "สำรองข้อมูลทุกวันอังคาร",
    "กุญแจบ้านอยู่ในลิ้นชัก",
    "แม่ทำแกงเขียวหวานทุกวันอาทิตย์",
)
"""Of these the default model knows not even the letters: any two of them have a cosine of 1."""
ANSWERED = {
    "Где работает сестра?": RUSSIAN[6],
    "Когда поезд в Петербург?": RUSSIAN[4],
    "谁负责前端": CHINESE[4],
    "我的护照什么时候到期？": CHINESE[3],  # noqa: RUF001
    "กุญแจบ้าน": THAI[4],
}
UNANSWERED = (
    "столица Франции",
    "Объясни квантовую запутанность",
    "рецепт пиццы",
    "法国的首都是哪里",
    "解释量子纠缠",
    "写一首诗",
    "ผลฟุตบอลเป็นอย่างไร",
)


OF_TWO, PIZZA = "แมวชื่อส้ม ลูกสาวแพ้ถั่วลิสง", "สูตรพิซซ่า"


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Json]:
    a_compiled_model()
    bundles: dict[str, Json] = {}
    run_apart(_ask(settings_for(tmp_path_factory.mktemp("unread")), bundles))
    return bundles


async def _ask(settings: Settings, bundles: dict[str, Json]) -> None:
    async with talking_to(settings) as client:
        await store(client, *RUSSIAN, *CHINESE, *THAI, user_id="olga")
        await store(client, *THAI, user_id="mali")
        for question in (*ANSWERED, *UNANSWERED):
            bundles[question] = await context(client, question, user_id="olga")
        for question in (OF_TWO, PIZZA):
            bundles[question] = await context(client, question, user_id="mali")


@pytest.mark.parametrize("question", ANSWERED)
def test_what_was_said_is_found_by_its_words(bundles: dict[str, Json], question: str) -> None:
    assert contents(bundles[question])[0] == ANSWERED[question]
    assert bundles[question]["metadata"]["sufficient"]


@pytest.mark.parametrize("question", UNANSWERED)
def test_what_was_never_said_is_not_taken_for_known(
    bundles: dict[str, Json], question: str
) -> None:
    assert not bundles[question]["metadata"]["sufficient"]


def test_what_a_model_has_no_letters_for_is_not_taken_for_said_twice(
    bundles: dict[str, Json],
) -> None:
    bundle = bundles[OF_TWO]
    assert bundle["metadata"]["deduplicated"] == 0
    assert {THAI[0], THAI[1]} <= set(contents(bundle))


def test_nor_for_a_likely_answer_in_a_small_memory(bundles: dict[str, Json]) -> None:
    assert not bundles[PIZZA]["metadata"]["sufficient"]
