from app.text.remembered import MAX_CHARACTERS, remembered


def test_a_text_is_read_once() -> None:
    read = list[str]()

    @remembered
    def length(text: str) -> int:
        read.append(text)
        return len(text)

    assert [length("pears"), length("pears"), length("figs")] == [5, 5, 4]
    assert read == ["pears", "figs"]


def test_nothing_is_kept_of_a_long_text() -> None:
    read = list[int]()

    @remembered
    def length(text: str) -> int:
        read.append(len(text))
        return len(text)

    longest, longer = "a" * MAX_CHARACTERS, "a" * (MAX_CHARACTERS + 1)
    assert [length(each) for each in (longest, longer, longest, longer)] == [2_000, 2_001] * 2
    assert read == [2_000, 2_001, 2_001]
