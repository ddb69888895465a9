"""What platforms hand out comes in, and marks go back in their columns. Could catch: one student taken for another."""

import json
import re
import stat
import subprocess
import sys
import zipfile
from datetime import UTC, datetime

import nbformat
import pytest
import yaml
from classroom import ROOT, submission, table

from course.marking import hand_back, intake, mark, roster

PEOPLE = {"ann": "Ann Lee", "bob": "Bob O'Neil-Ray", "cem": "=Cem Öz", "dee": "Dee", "eve": "Eve Fox", "fay": "Fay"}
ROSTER = "id,name,mail\n" + "".join(f"{key},{name},{key}@x.org\n" for key, name in PEOPLE.items())
SUBMITTERS = {  # known by id, by mail, by name
    "ann": {":name": "A.", ":sid": "ann"},
    "bob": {":name": "B.", ":email": "BOB@x.org"},
    "cem": {":name": "Öz =Cem"},
    "dee": {":sid": "dee"},
    "eve": {":sid": "eve"},
}
CANVAS = {
    "ann": "leeann_LATE_11_903_tiny-1",
    "bob": "oneilraybob_12_77_tiny",
    "cem": "ozcem_13_78_12_34_own",
    "dee": "dee_14_79_tiny",
    "eve": "foxeve_15_80_tiny",
}


def work(assignment, into):
    """Five submissions, by student: right, wrong, hostile, broken, and none. The folder, and what may not be there."""
    into.mkdir()
    trap = into.parent / "was here"
    hostile = f"import os\nopen({str(trap)!r}, 'w')\nos.system('touch {trap}')\ndef total(a, b):\n    return 2\n"
    submission(assignment, {}, into / "ann.ipynb")
    submission(assignment, {"sum": "def total(a, b):\n    return 3\n"}, into / "bob.ipynb")
    submission(assignment, {"sum": hostile}, into / "cem.ipynb")
    (into / "dee.ipynb").write_text('{"cells": [')
    (into / "eve.pdf").write_text("%PDF")
    return {path.stem: path for path in into.iterdir()}, trap


def handed_out(platform: str, files: dict) -> dict[str, bytes]:
    """The files of an archive, as a platform names them; Ann handed in twice where a platform tells."""
    wrong, names = files["bob"].read_bytes(), {}
    if platform == "canvas":
        names = {f"{CANVAS[who]}{path.suffix}": path.read_bytes() for who, path in files.items()}
        return names | {"leeann_LATE_11_99_tiny.ipynb": wrong, "__MACOSX/._leeann_LATE_11_99_tiny.ipynb": b"x"}
    if platform == "moodle":
        folders = {who: f"{PEOPLE[who]}_{k}_assignsubmission_file" for k, who in enumerate(files, 50)}
        folders["ann"] += "_"  # as up to Moodle 4.0
        names = {f"{folders[who]}/my {who}{path.suffix}": path.read_bytes() for who, path in files.items()}
        return names | {folders["eve"].replace("_file", "_onlinetext") + "/onlinetext.html": b"<p>sorry"}
    if platform == "gradescope":
        whole = {f"submission_{k}": ({":submitters": [SUBMITTERS[who]]}, who) for k, who in enumerate(files, 70)}
        hours = {"submission_7": 12, **dict.fromkeys(whole, 14)}
        whole["submission_7"] = ({":submitters": [SUBMITTERS["ann"]]}, "bob")
        told = {
            name: one | {":created_at": datetime(2027, 3, 1, hours[name], tzinfo=UTC)}
            for name, (one, _) in whole.items()
        }
        names = {f"{name}/tiny{files[who].suffix}": files[who].read_bytes() for name, (_, who) in whole.items()}
        names = {f"assignment_5_export/{name}": data for name, data in names.items()}
        return names | {f"assignment_5_export/{intake.METADATA}": yaml.safe_dump(told).encode()}
    names = {f"tiny-{who}/homework/my{path.suffix}": path.read_bytes() for who, path in files.items()}
    return names | {"tiny-ann/tiny.ipynb": names.pop("tiny-ann/homework/my.ipynb"), "tiny-ann/draft.ipynb": wrong}


def packed(path, files: dict[str, bytes]):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def unpacked(path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("platform", ["canvas", "moodle", "gradescope", "classroom"])
def test_a_class_of_five_comes_in_from_a_platform_and_its_marks_go_back(platform, tiny, folder, tmp_path, capsys):
    files, trap = work(tiny, tmp_path / "work")
    archive = packed(tmp_path / "submissions.zip", handed_out(platform, files))
    (tmp_path / "roster.csv").write_text(ROSTER, encoding="utf-8")
    words = ["tiny", str(archive), "--group", "a-class", "--due", "2027-03-01T13:00+00:00"]
    assert mark.main([*words, "--roster", str(tmp_path / "roster.csv")]) == 0
    out, err = capsys.readouterr()
    assert f"submissions.zip: {platform}, " in out
    assert err.count("marking ") == 4
    assert not trap.exists()
    rows = {row["student"]: row for row in table(tiny.folder / "marks.csv")}
    points = {"ann": "2.0", "bob": "0.0", "cem": "0.0", "dee": "", "eve": "", "fay": ""}
    assert {who: row["sum-check"] for who, row in rows.items()} == points
    twice = "the latest of 2 notebooks" if platform in ("canvas", "gradescope") else ""
    notes = {"ann": twice, "dee": "is no notebook", "eve": "has 0 notebooks", "fay": "nothing handed in"}
    for who, row in rows.items():
        assert notes.get(who, "") in row["note"], who
    assert (rows["cem"]["name"], rows["cem"]["mail"]) == ("'=Cem Öz", "cem@x.org")
    late = {"canvas": ("late", "in time"), "gradescope": ("late", "late")}.get(platform, ("not told", "not told"))
    assert (rows["ann"]["late"], rows["bob"]["late"]) == late
    page = (tiny.folder / "overview.html").read_text(encoding="utf-8")
    assert "0.67 of 2 (33%)" in page
    assert "<td>1</td><td>AssertionError: one and one</td>" in page
    assert "no notebook" in page
    there = {path.name for path in tiny.folder.iterdir()} & {*hand_back.FILES}
    sent = table(tiny.folder / f"{platform}.csv") if f"{platform}.csv" in there else None
    if platform == "canvas":
        assert there == {"canvas.csv", "feedback.zip"}
        own = [("Ann Lee", "11", "2"), ("Bob O'Neil-Ray", "12", "0"), ("'=Cem Öz", "13", "0")]
        assert sent == [{"Student": name, "ID": number, "Section": "", "tiny": points} for name, number, points in own]
        back = unpacked(tiny.folder / "feedback.zip")
        numbers = {tuple([p for p in name.split("_") if p.isdecimal()][:2]) for name in back}  # as Canvas reads them
        assert numbers == {("11", "903"), ("12", "77"), ("13", "78")}
        for name, data in back.items():
            (cell,) = nbformat.reads(data.decode(), as_version=4).cells
            assert name.endswith(".ipynb")
            assert f"<h1>tiny: {'ann' if '_11_' in name else ''}" in cell.outputs[0].data["text/html"]
    if platform == "moodle":
        assert there == {"moodle.csv", "feedback.zip"}
        assert {"Identifier", "Full name", "Email address", "Grade", "Last modified (grade)"} <= sent[0].keys()
        ids = {row["Identifier"].removeprefix("Participant "): row["Email address"] for row in sent}
        assert sorted(ids.values()) == ["ann@x.org", "bob@x.org", "cem@x.org"]
        for name in unpacked(tiny.folder / "feedback.zip"):
            full, number, *plugin, own = re.split("_", name, maxsplit=4)  # as Moodle reads them
            assert PEOPLE[ids[number].split("@")[0]] == full
            assert (plugin, own) == (["assignsubmission", "file"], "/tiny_feedback.html")
    if platform == "gradescope":
        assert there == {"autograder.zip"}
        with zipfile.ZipFile(tiny.folder / "autograder.zip") as archive:
            assert stat.S_IMODE(archive.getinfo("run_autograder").external_attr >> 16) == 0o755
            archive.extractall(tmp_path / "autograder" / "source")
        scores = {}
        for number in (*range(70, 75), 7):
            (tmp_path / "autograder" / "submission_metadata.json").write_text(json.dumps({"id": number, "users": []}))
            run = [sys.executable, tmp_path / "autograder" / "source" / "run_autograder", tmp_path / "autograder"]
            subprocess.run(run, check=True)
            given = json.loads((tmp_path / "autograder" / "results" / "results.json").read_text())
            assert all({"name", "score", "max_score", "output"} <= test.keys() for test in given.get("tests", []))
            scores[number] = sum(test["score"] for test in given["tests"]) if "tests" in given else given["output"]
        waits = [number for number, score in scores.items() if score == "This submission is not marked yet."]
        assert 7 in waits
        assert len(waits) == 3
        assert sorted(score for score in scores.values() if isinstance(score, float)) == [0.0, 0.0, 2.0]
    if platform == "classroom":
        assert there == {"classroom.csv"}
        names = ["github_username", "student_repository_name", "points_awarded", "points_available"]
        assert [[row[name] for name in names] for row in sent][0] == ["ann", "tiny-ann", "2", "5"]
    assert mark.main(words) == 0  # the roster is known by now, and all is marked
    assert "marking " not in capsys.readouterr().err.replace("marking dee", "")
    assert {row["student"]: row for row in table(tiny.folder / "marks.csv")} == rows
    if platform == "canvas":
        packed(archive, {f"{CANVAS['dee']}.ipynb": files["dee"].read_bytes()})
        assert mark.main(words) == 0  # an archive of one student says nothing of those who have marks
        rows["eve"] |= {"late": "", "note": "nothing handed in"}
        assert {row["student"]: row for row in table(tiny.folder / "marks.csv")} == rows


def test_new_bytes_and_a_new_source_are_marked_again_and_nothing_else(tiny, tmp_path, capsys):
    one = submission(tiny, {}, tmp_path / "ann.ipynb")
    two = submission(tiny, {"sum": "def total(a, b):\n    return 3\n"}, tmp_path / "bob.ipynb")
    marked = []
    source = tiny.lecturer / "source" / "tiny" / "tiny.ipynb"
    for change in (
        lambda: None,
        lambda: two.write_bytes(one.read_bytes()),
        lambda: source.write_text(source.read_text().replace("one and one", "1 and 1")),
    ):
        change()
        rows = tiny.mark({"ann": one, "bob": two})
        marked.append(capsys.readouterr().err.split())
    assert [row["sum-check"] for row in rows] == [2, 2]
    assert [words[1::2] for words in marked] == [["ann", "bob"], ["bob"], ["ann", "bob"]]


def listed(source):
    with intake.attempts(source, "tiny") as (platform, attempts):
        return platform, attempts


def read(source):
    platform, attempts = listed(source)
    return platform, {attempt.key: attempt for attempt in attempts}


def test_a_layout_is_known_by_its_names_wherever_it_lies(tmp_path):
    def made(folder, *paths):
        for path in paths:
            (tmp_path / folder / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / folder / path).write_text("{}")
        return tmp_path / folder

    platform, own = read(made("anonymous", "anon_Ab1c_99_x.ipynb", "LATE_anon_De2_98_y.ipynb", "odd.ipynb"))
    assert (platform, {*own}) == ("canvas", {"anon_Ab1c", "anon_De2", "odd"})
    assert (own["anon_De2"].late, own["anon_De2"].told, own["odd"].path) == ("late", {}, None)
    _, two = listed(made("named", "x_12_77_a.ipynb", "x_12_11_903_a.ipynb"))  # one may be of a student called x_12
    assert "2 submissions" in roster.counted(two, None)[1]["x_12"]["note"]
    platform, own = read(made("flat", "Ann Lee_5_assignsubmission_file_x.ipynb", "stray/x.ipynb"))
    assert (platform, own["Ann Lee_5"].told, own["stray"].path) == ("moodle", {"name": "Ann Lee"}, None)
    platform, own = read(made("other-submissions", "other-ann/.git/x", "other-ann/x.ipynb", "other-bob/y.txt"))
    assert (platform, own["ann"].back, own["bob"].path) == ("classroom", "other-ann", None)
    (tmp_path / "other-submissions" / "other-bob" / "x.ipynb").symlink_to(own["ann"].path)
    assert read(tmp_path / "other-submissions")[1]["bob"].path is None
    platform, own = read(made("plain", "ann_5_6.ipynb", "bob/work/x.ipynb", "notes.txt"))
    assert (platform, {*own}) == ("folder", {"ann_5_6", "bob"})
    assert read(made("alone", "ann/x.ipynb"))[1].keys() == {"ann"}
    two, one = ({f"in/{k}.ipynb": b"" for k in range(n)} for n in (2, 1))
    assert read(packed(tmp_path / "two.zip", two))[1].keys() == {"0", "1"}
    assert read(packed(tmp_path / "one.zip", one))[1].keys() == {"in"}
    assert read(packed(tmp_path / "out.zip", {"../../ann.ipynb": b"", "/bob.ipynb": b""}))[1].keys() == {"ann", "bob"}
    assert not (tmp_path.parent / "ann.ipynb").exists()


def test_a_source_that_cannot_be_read_is_one_sentence_that_names_it(tmp_path, monkeypatch):
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 and no more")
    (tmp_path / "empty").mkdir()
    packed(tmp_path / "empty.zip", {"readme.txt": b""})
    packed(tmp_path / "list.zip", {intake.METADATA: b"- 1"})
    packed(tmp_path / "yaml.zip", {intake.METADATA: b"a: [1"})
    monkeypatch.setattr(intake, "LARGEST", 2**20)
    packed(tmp_path / "large.zip", {"ann.ipynb": b" " * 2**21})
    for name, refusal in {
        "none.zip": r"FROM=.*none.zip is not there; it may be a folder or a \.zip",
        "broken.zip": r"FROM=.*broken.zip cannot be read as a \.zip: File is not",
        "empty": "FROM=.*empty has no notebooks",
        "empty.zip": "FROM=.*empty.zip has no notebooks",
        "list.zip": "submission_metadata.yml must have an entry for each submission_NUMBER, got list",
        "yaml.zip": "submission_metadata.yml cannot be read: ",
        "large.zip": "FROM=.*large.zip has 0.0 GiB; it may have",
    }.items():
        with pytest.raises(ValueError, match=refusal):
            read(tmp_path / name)
    with pytest.raises(ValueError, match="DUE=soon must be a time such as 2027"):
        mark.deadline("soon")


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("id,name\n1,A\n", "lacks mail: its columns must be id, name, mail"),
        ("", "lacks id, name, mail"),
        ("id;name;mail\ns1;A;\ns2;B;\nS1;C;\n", "the id 'S1' is in lines 2 and 4"),
        ("id,name,mail\ns1,A,a@x\ns2,B,A@x\n", "the mail 'A@x' is in lines 2 and 3"),
        ("id,name,mail\n../s1,A,\n", r"line 2: the id '\.\./s1' must be"),
        ("id,name,mail\n,A,\n", "line 2: the id '' must be"),
        (b"id,name,mail\n\xff,A,\n", "cannot be read as a table in UTF-8"),
    ],
)
def test_a_roster_that_cannot_be_is_one_sentence(text, refusal, tmp_path):
    (tmp_path / "roster.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=refusal):
        roster.read(tmp_path / "roster.csv")


def test_nobody_is_two_students_and_who_fits_nobody_is_a_row(tmp_path):
    known = [
        {"id": "s1", "name": "López García, Ana María", "mail": "ana@x.org"},
        {"id": "s2", "name": "Kim Lee", "mail": "kim@x.org"},
        {"id": "s3", "name": "Lee, Kim", "mail": ""},
        {"id": "s4", "name": "Jo Ray", "mail": ""},
    ]
    here = tmp_path / "x.ipynb"
    told = {
        "a": {"name": "lopezgarciaanamaria"},
        "b": {"name": "Kim Lee"},  # two of this name
        "c": {"name": "Kim Lee", "mail": "KIM@x.org"},
        "d": {"id": "s3", "name": "Ana María López García"},  # the one's id, the other's name
        "s4": {"id": "s9", "name": "Nobody"},
        "e": {"name": "Ray Jo"},
        "f": {"id": "s4"},
    }
    counted, about = roster.counted([intake.Attempt(k, one, here, back=f"at {k}") for k, one in told.items()], known)
    assert {student: attempt.key for student, attempt in counted.items()} == {"s1": "a", "s2": "c"}
    assert about["b"]["note"] == "not marked: 2 students of the roster fit name 'Kim Lee': s2, s3"
    assert about["d"]["note"].startswith("not marked: 2 students of the roster fit id 's3', name 'Ana")
    assert about["at s4"]["note"] == "not marked: no students of the roster fit id 's9', name 'Nobody'"
    assert about["s4"]["note"] == "not marked: 2 submissions are of this student: at e, at f"
    assert about["s3"]["note"] == "nothing handed in"
    twice = [intake.Attempt("k", {}, here, order=order) for order in (1, 3, 2)]
    assert roster.counted(twice, None)[0]["k"].order == 3
    twice[0].order = None
    assert "3 submissions" in roster.counted(twice, None)[1]["k"]["note"]


def test_a_roster_that_comes_later_makes_no_second_student(tiny, folder, tmp_path, capsys):
    submission(tiny, {}, folder / "Ann Lee.ipynb")
    (folder / "Dee.ipynb").write_text("")
    (tmp_path / "roster.csv").write_text(ROSTER, encoding="utf-8")
    words = ["tiny", str(folder), "--group", "a-class"]
    assert mark.main(words) == 0
    assert mark.main([*words, "--roster", str(tmp_path / "roster.csv")]) == 2
    assert "marks.csv has 'Ann Lee', whom the roster calls otherwise" in capsys.readouterr().err
    (folder / "Ann Lee.ipynb").unlink()
    assert mark.main([*words, "--roster", str(tmp_path / "roster.csv")]) == 0
    assert [row["student"] for row in table(tiny.folder / "marks.csv")][:2] == ["Ann Lee", "ann"]
    assert "Dee" not in {row["student"] for row in table(tiny.folder / "marks.csv")}


def test_the_workflow_for_github_runs_the_visible_checks(tiny, tmp_path):
    workflow = yaml.safe_load((ROOT / "course" / "assignments" / "github.yml").read_text(encoding="utf-8"))
    assert workflow[True] == ["push", "workflow_dispatch"]  # YAML 1.1 reads the key `on` as true
    assert workflow["permissions"] == {"contents": "read"}
    (*_, last) = workflow["jobs"]["checks"]["steps"]
    assert not [word for word in ("hidden", "lecturer") if word in last["run"]]
    command = last["run"].replace("python", sys.executable, 1)
    submission(tiny, {}, tmp_path / "tiny.ipynb")
    assert subprocess.run(command, shell=True, cwd=tmp_path, check=False).returncode == 0
    nbformat.write(nbformat.read(tiny.notebook, as_version=4), tmp_path / "tiny.ipynb")
    assert subprocess.run(command, shell=True, cwd=tmp_path, check=False).returncode == 1
