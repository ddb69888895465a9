"""The files for Moodle and Canvas say what the book says, as two readers understand them that nobody here wrote.

`ua_exam` reads GIFT, and `qti2latex` the packages of Canvas; it takes each option that has a comment for a right one,
so which one scores is read here. What neither can see: what a platform does with the TeX.
"""

import html
import re
import zipfile
from xml.etree import ElementTree

import pytest
import qti2latex
from small_books import ROOT
from ua_exam import gift_parser

from tools.give import exam, quiz_files
from tools.pages import quiz

BANKS = quiz_files.quizzes() | quiz_files.exams()
EACH = pytest.mark.parametrize("bank", BANKS.values(), ids=BANKS)


def test_every_quiz_and_every_exam_question_is_there():
    assert {path.stem for path in (ROOT / quiz.FOLDER).glob("*.md")} == {
        n for n, b in BANKS.items() if b.items[0].options
    }
    assert {item.name for bank in BANKS.values() for item in bank.items if not item.options} == set(exam.questions())


@EACH
def test_a_reader_of_gift_finds_the_questions_and_the_right_options(bank):
    def read(text):  # HTML as that reader shows it
        return html.unescape(text).replace("\n", "\\n")

    found = gift_parser.parse_gift_content(quiz_files.gift(bank))
    assert {question["category"] for question in found} == {f"$course$/top/{quiz_files.BOOK}/{bank.title}"}
    assert [question["title"] for question in found] == [item.name for item in bank.items]
    for item, question in zip(bank.items, found, strict=True):
        assert question["type"] == ("multiple_choice" if item.options else "essay")
        options = [(option["text"], option["is_correct"]) for option in question["options"]]
        assert options == [(read(option.says), option.right) for option in item.options]
        text = re.sub(r'"data:image/svg\+xml;base64,[\w+/=]+"', '"PICTURE"', question["text"])
        assert text.count('"PICTURE"') == len(item.pictures)
        assert text == "[html]" + re.sub(r'"\$IMS[^"]+"', '"PICTURE"', read(item.text))


def test_what_means_something_to_moodle_is_guarded():
    """`\\n` is a new line to Moodle, so `\\nabla` would lose its first letters; an unguarded brace ends a question."""
    text = quiz_files.gift(BANKS["sgd"])
    assert r"\\nabla f" in text
    for line in text.splitlines()[2::2]:
        bare = re.sub(r"\\.", "", line)
        assert (bare.count("{"), bare.count("}"), bare.count("::"), bare.count("\\")) == (1, 1, 2, 0)
        assert bare.count("=") == 1  # the right option


@EACH
def test_a_reader_of_qti_finds_the_questions_the_right_options_and_what_is_said_of_each(bank, tmp_path):
    quiz_files.pack(bank, tmp_path / "a.zip")
    folder = qti2latex.extract_zip_to_tmp(tmp_path / "a.zip")
    trees = [ElementTree.parse(path).getroot() for path in qti2latex.read_qti_dir(folder)]
    (title,) = {root[0].text for root in trees if root.tag.endswith("quiz")}
    assert title == bank.title
    found = [item for root in trees for item in qti2latex.findall_anyns(root, "item")]
    for item, read in zip(bank.items, found, strict=True):
        facts = qti2latex.get_qti_metadata(read)
        scores = [part for part in qti2latex.findall_anyns(read, "respcondition") if "100" in part.itertext()]
        right = {label.text for part in scores for label in qti2latex.findall_anyns(part, "varequal")}
        kind = "multiple_choice_question" if item.options else "essay_question"
        assert (qti2latex.guess_type(facts, read), facts["points_possible"]) == (kind, str(item.points))
        assert qti2latex.get_item_stem(read) == item.text
        said = {part.get("ident"): "".join(part.itertext()) for part in qti2latex.findall_anyns(read, "itemfeedback")}
        options = [(label in right, text, said[f"{label}_fb"]) for label, text in qti2latex.get_choices(read)]
        assert options == [(option.right, option.says, option.why) for option in item.options]


@EACH
def test_a_package_has_every_file_that_it_names_and_the_same_bytes_again(bank, tmp_path):
    for name in ("a", "b"):
        quiz_files.pack(bank, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    with zipfile.ZipFile(tmp_path / "a") as packed:
        names = packed.namelist()
        root = ElementTree.fromstring(packed.read("imsmanifest.xml"))
        page = packed.read(f"{bank.name}/{bank.name}.xml").decode()
    assert {part.get("href") for part in root.iter() if part.get("href")} == {*names} - {"imsmanifest.xml"}
    resources = {part.get("identifier") for part in root.iter() if part.tag.endswith("resource")}
    assert {part.get("identifierref") for part in root.iter() if part.get("identifierref")} <= resources
    assert {*re.findall(r"\$IMS-CC-FILEBASE\$/([\w.-]+)", page)} == {name for name in names if name.endswith(".svg")}


def test_formulas_are_tex_and_a_reference_is_said_in_words_or_refused():
    said = quiz_files.html("By {eq}`eq-sgd-floor` and {prf:ref}`thm-sgd`, $a<b$.")
    assert r"\(\mathbb E f-f^*=\frac\eta{2b}" in said
    assert "Theorem “SGD on a smooth function”" in said
    assert r"\(a&lt;b\)" in said
    for text, told in (
        ("{eq}`eq-nowhere`", "no chapter has the label 'eq-nowhere'"),
        ("{term}`floor`", "{term}`floor`"),
    ):
        with pytest.raises(ValueError, match=re.escape(told)):
            quiz_files.html(text)


def test_one_chapter_is_written_alone_and_another_name_is_refused(tmp_path, capsys):
    assert [path.name for path in quiz_files.write(["lars"], tmp_path)] == ["lars.gift.txt", "lars.qti.zip"]
    assert quiz_files.main(["nothing"]) == 2
    assert "there are no questions 'nothing', but loss_and_gradient" in capsys.readouterr().out
