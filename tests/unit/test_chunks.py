"""Chunks re-join to their message, have the promised sizes, and begin where a reader would."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.adapters.tokenizer import BpeTokenCounter
from app.text.blocks import blocks_of
from app.text.chunks import SHORT, Kind, Span, chunks_of
from app.text.parts import Seam, code_parts, prose_parts

COUNT = BpeTokenCounter().count

SENTENCE = "The committee met on a Tuesday and talked about the garden behind the old mill. "
EMOJI = "👩‍👩‍👧‍👦🏳️‍🌈👍🏽"
PIECES = st.sampled_from(
    [
        SENTENCE * 3,
        SENTENCE * 30,
        "word " * 120,
        "x" * 700,
        "我们选择了数据库。" * 60,
        "没有空格的文字" * 80,
        EMOJI * 40,
        "𐍈𐌰𐌿𐍂" * 60,
        "\n",
        "\n\n",
        "\r\n\r\n",
        "\r",
        " " * 50,
        "\t",
        "\u2028",
        "```python\ndef f(x):\n    return x\n```\n",
        "```\n" + "value = compute(value)\n" * 90 + "```\n",
        "~~~~sql\nSELECT 1\n~~~\n~~~~\n",
        "```never closed\n",
        "    ```js\r\n    let a = 1\r\n    ```\r\n",
        "`inline` and ```inline``` code\n",
        "- an item\n- another one\n",
    ]
)
MESSAGES = st.lists(PIECES | st.text(max_size=40), max_size=8).map("".join)


def chunked(content: str) -> list[Span]:
    return list(chunks_of(content, COUNT(content), COUNT))


def tokens(content: str, span: Span) -> int:
    return COUNT(content[span.start : span.stop])


@given(MESSAGES)
@example("```\n" + "a" * 5_000)
@example(SENTENCE * 30 + " " * 5_000 + SENTENCE * 30)
def test_every_character_that_is_not_blank_is_in_a_chunk(content: str) -> None:
    spans = chunked(content)
    told = {at for span in spans for at in range(span.start, span.stop)}
    if spans:
        assert not "".join(c for at, c in enumerate(content) if at not in told).strip()


@given(MESSAGES)
def test_chunks_are_in_order_and_none_is_inside_another(content: str) -> None:
    for one, other in pairwise(chunked(content)):
        assert one.start < other.start
        assert one.stop < other.stop


@given(MESSAGES)
def test_chunks_begin_and_end_with_something_to_see(content: str) -> None:
    for span in chunked(content):
        said = content[span.start : span.stop]
        assert said == said.strip() != ""


@given(MESSAGES)
def test_no_chunk_is_too_large(content: str) -> None:
    for span in chunked(content):
        assert tokens(content, span) <= (500 if span.kind is Kind.CODE else 300)


@given(MESSAGES)
def test_one_chunk_is_no_chunk(content: str) -> None:
    spans = chunked(content)
    assert len(spans) != 1
    if not spans:
        has_code = any(block.code for block in blocks_of(content))
        assert COUNT(content.strip()) <= (500 if has_code else SHORT)


@pytest.mark.parametrize(
    "text",
    [
        SENTENCE * 200,
        (SENTENCE * 4 + "\n\n") * 50,
        "no end of any sentence " * 800,
        "我们选择了数据库因为它很快。" * 300,
        "ไม่มีช่องว่างระหว่างคำ" * 200,
        EMOJI * 300,
        "𐍈𐌰𐌿𐍂" * 500,
    ],
    ids=lambda text: text[:8],
)
def test_prose_has_200_to_300_tokens_of_which_30_to_60_are_said_again(text: str) -> None:
    *spans, last = chunked(text)
    assert len(spans) > 2
    assert all(200 <= tokens(text, span) <= 300 for span in spans)
    assert tokens(text, last) <= 300
    for one, other in pairwise([*spans, last]):
        assert 30 <= COUNT(text[other.start : one.stop]) <= 60


@pytest.mark.parametrize("text", ["没有空格也没有句号的文字" * 300, "a" * 40_000, "aB3$" * 5_000])
def test_where_nothing_ends_chunks_may_be_smaller(text: str) -> None:
    """Tokens that were cut count more than whole ones do."""
    *spans, last = chunked(text)
    assert all(0 < tokens(text, span) <= 300 for span in [*spans, last])
    for one, other in pairwise([*spans, last]):
        assert 0 < COUNT(text[other.start : one.stop]) <= 60


def test_prose_is_cut_between_paragraphs_first() -> None:
    paragraph = SENTENCE * 5 + "\n\n"
    text = paragraph * 12
    for span in chunked(text)[:-1]:
        assert text[span.stop :].startswith(" \n\n")


def test_prose_of_one_paragraph_is_cut_between_sentences() -> None:
    text = SENTENCE * 60
    for span in chunked(text):
        assert text[span.start : span.stop].startswith("The committee")
        assert text[span.start : span.stop].endswith("mill.")


def test_a_code_block_is_kept_whole_with_its_language() -> None:
    code = "```Python title=x\n" + "value = compute(value)\n" * 60 + "```"
    assert 300 < COUNT(code) <= 500
    text = f"{SENTENCE * 5}\n\n{code}\n\n{SENTENCE * 5}"
    spans = chunked(text)
    assert [span.kind for span in spans] == [Kind.PROSE, Kind.CODE, Kind.PROSE]
    assert [span.language for span in spans] == [None, "python", None]
    assert text[spans[1].start : spans[1].stop] == code


def test_a_few_words_beside_code_go_with_it() -> None:
    code = "```sh\nmake run\n```"
    text = f"Start it like this:\n{code}\n{SENTENCE * 4}\nAnd to test it:\n{code}\nThat is all."
    said = [text[span.start : span.stop] for span in chunked(text)]
    assert said[0] == f"Start it like this:\n{code}"
    assert said[-1].startswith("The committee") or said[-1].endswith("That is all.")
    assert len(said) == 3


def test_short_code_with_a_caption_is_one_piece_with_it() -> None:
    assert chunked("Like this:\n```sh\nmake run\n```") == []


@pytest.mark.parametrize("crumb", ["```\n```\n", "```\nx\n```\n", "Or:\n```sh\nls\n```\n"])
def test_crumbs_of_code_make_few_chunks(crumb: str) -> None:
    text = crumb * 2_000
    assert len(chunks_of(text, COUNT(text), COUNT)) < COUNT(text) / 300


def test_long_code_is_cut_where_definitions_begin() -> None:
    function = "def name(value):\n" + "    value = compute(value)\n" * 20 + "    return value\n\n"
    text = "```python\n" + function * 12 + "```"
    spans = chunked(text)
    assert len(spans) > 2
    for one, other in pairwise(spans):
        assert text[other.start :].startswith("def name")
        assert not text[one.stop : other.start].strip()
        assert one.language == other.language == "python"


def test_a_fence_that_is_never_closed_ends_with_the_message() -> None:
    text = f"{SENTENCE * 5}\n```python\nprint(1)\n\n{SENTENCE}"
    prose, code = chunked(text)
    assert (prose.kind, code.kind, code.stop) == (Kind.PROSE, Kind.CODE, len(text.rstrip()))


@given(MESSAGES)
def test_blocks_re_join_to_their_text(text: str) -> None:
    assert "".join(text[block.start : block.stop] for block in blocks_of(text)) == text


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("```c++\n```", ["c++"]),
        ("``` {.Rust}\n```", ["rust"]),
        ("```\n```", [None]),
        ("~~~ `a` b\n~~~", ["`a`"]),
        ("````md\n```js\n```\n````", ["md"]),
        ("```js\r\nlet a\r\n```\r\n```py\r\n```", ["js", "py"]),
        ("say ```this``` inline", []),
        ("```a `b\n", []),
        ("```x\n``` not the end\n```", ["x"]),
    ],
)
def test_fences_are_read_as_markdown_has_them(text: str, languages: list[str | None]) -> None:
    assert [block.language for block in blocks_of(text) if block.code] == languages


@given(MESSAGES)
def test_parts_are_small_and_leave_out_blanks_only(text: str) -> None:
    for parts_of in (prose_parts, code_parts):
        end = 0
        for part in parts_of(text, 0, len(text), COUNT):
            assert not text[end : part.start].strip()
            assert COUNT(text[part.start : part.stop]) == part.tokens <= 28
            end = part.stop
        assert not text[end:].strip()


def test_parts_know_what_they_begin() -> None:
    prose = "One. Two\nthree\n\nfour " + "word " * 40 + "x" * 200
    seams = [part.seam for part in prose_parts(prose, 0, len(prose), COUNT)]
    assert seams[:4] == [Seam.SENTENCE, Seam.SENTENCE, Seam.LINE, Seam.PARAGRAPH]
    assert {Seam.WORD, Seam.INSIDE} <= set(seams[4:])
    code = "a = 1\ndef f():\n    b = 2\n\n    c = 3\n\nd = 4"
    assert [part.seam for part in code_parts(code, 0, len(code), COUNT)] == [
        Seam.SENTENCE,
        Seam.PARAGRAPH,
        Seam.SENTENCE,
        Seam.LINE,
        Seam.PARAGRAPH,
    ]


@pytest.mark.parametrize(
    "text",
    [
        SENTENCE * 12_500,
        "a" * 1_000_000,
        "没有空格也没有句号的文字" * 83_000,
        " " * 1_000_000 + "end" + "\n" * 1_000_000 + "end" * 500,
        "```\n" * 250_000,
        "`" * 1_000_000,
        "x.\n" * 300_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_no_character_is_counted_often_whatever_a_megabyte_holds(text: str) -> None:
    counted = 0

    def count(part: str) -> int:
        nonlocal counted
        counted += len(part)
        return COUNT(part)

    assert list(chunks_of(text, COUNT(text), count))
    assert counted <= 4 * len(text)
