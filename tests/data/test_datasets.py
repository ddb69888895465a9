"""The data sets: the same on every machine, prose where prose is promised, honest splits.

`TestCorpus` reads the real corpus: the first run on a machine builds it (up to a minute).
"""

import hashlib
import io
import itertools
import re
import subprocess
import sys
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from minilib import data
from minilib.data import catalogue, download, fetch, novels, package_docs, prose

# Measured with the locked versions on Python 3.11, 3.12 and 3.13: measure again when the lock moves.
VERSIONS = {
    "numpy": "2.4.6",
    "scipy": "1.17.1",
    "scikit-learn": "1.9.1",
    "matplotlib": "3.11.2",
    "sympy": "1.14.0",
    "networkx": "3.6.1",
    "torch": "2.13.0",
}
SHA256 = "4320ae57083660950cc21fd488216e1f9fb8ce64ebd67673c6a3c8968da73c90"
WORDS = 1_243_004
DISTINCT_WORDS = 23_708

CAT = "The cat that sat on the mat is not the one that we saw in the garden."
DOG = "A dog may bark at the moon when it is full, and then the owl will answer."


@pytest.fixture(scope="module")
def docs():
    return data.docstrings()


def shingles(text):
    return [run for p in text.split("\n\n") for run in prose.runs(prose.bare_words(p))]


def write_package(root, **files):
    root.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (root / f"{name}.py").write_text(text, encoding="utf-8")
    return root


class TestDigits:
    def test_the_arrays_have_the_documented_shapes_types_and_range(self):
        x_train, y_train, x_test, y_test = data.digits()
        assert x_train.shape == (1437, 64)
        assert x_test.shape == (360, 64)
        assert x_train.dtype == x_test.dtype == np.float64
        assert y_train.shape == (1437,)
        assert y_test.shape == (360,)
        assert y_train.dtype == y_test.dtype == np.int64
        assert x_train.min() == x_test.min() == 0.0
        assert x_train.max() == x_test.max() == 1.0

    def test_each_class_gives_a_fifth_of_its_images_to_the_test_set(self):
        scans = data.digits()
        share = np.bincount(scans.y_test) / np.bincount(np.r_[scans.y_train, scans.y_test])
        np.testing.assert_allclose(share, 0.2, atol=0.005)

    def test_the_two_parts_together_are_all_the_images_in_their_order(self):
        from sklearn.datasets import load_digits

        x, y = load_digits(return_X_y=True)
        scans = data.digits()
        rows = {tuple(row): i for i, row in enumerate(x / 16)}  # no image occurs twice
        train = [rows[tuple(row)] for row in scans.x_train]
        test = [rows[tuple(row)] for row in scans.x_test]
        assert sorted(train + test) == list(range(1797))
        assert train == sorted(train)
        assert test == sorted(test)
        assert (scans.y_train == y[train]).all()
        assert (scans.y_test == y[test]).all()

    def test_two_calls_do_not_share_memory(self):
        data.digits().x_train[:] = -1
        assert data.digits().x_train.min() == 0


class TestParagraphs:
    def cut(self, text):
        return list(prose.paragraphs(text))

    def test_a_blank_line_ends_a_paragraph_and_lines_are_joined(self):
        assert self.cut("One\n    two.\n\n    Three\n    four.") == ["One two.", "Three four."]

    def test_indentation_parts_a_parameter_from_its_description(self):
        text = "\n    x : array\n        The input,\n        any shape.\n    y : array\n"
        assert self.cut(text) == ["x : array", "The input, any shape.", "y : array"]

    def test_a_heading_with_its_underline_is_dropped(self):
        assert self.cut("Sum.\n\n    Notes\n    -----\n    It adds.") == ["Sum.", "It adds."]

    @pytest.mark.parametrize("mark", ["- ", "* ", "1. ", "(a) ", "x (int): ", "Note: ", ".. note:: "])
    def test_a_list_item_is_a_paragraph_without_its_mark(self, mark):
        text = f"Sum.\n\n    {mark}It adds\n        numbers.\n    {mark}Fast."
        assert self.cut(text) == ["Sum.", "It adds numbers.", "Fast."]

    def test_tabs_count_as_indentation(self):
        assert self.cut("Sum.\n\n\tOne\n        two.") == ["Sum.", "One two."]


@pytest.mark.parametrize(
    ("marked", "shown"),
    [
        ("See [1]_ and [Knuth]_.", "See (1) and (Knuth)."),
        ("Use :func:`~torch.nn.relu` or :class:`Adam`.", "Use relu or Adam."),
        ("Use `.Axes.plot`, `~.Axes.bar` or ``np.sum``.", "Use Axes.plot, bar or np.sum."),
        ("Read `the guide <https://example.org>`_ first.", "Read the guide first."),
        ("All :class:`Tensor`\\s are *dense* and **big**.", "All Tensors are dense and big."),
        ("With $n$ rows .", "With n rows."),
        ("It adds numbers. For example::", "It adds numbers."),
        ("The product 2 * x * y stays.", "The product 2 * x * y stays."),
    ],
)
def test_markup_is_taken_off(marked, shown):
    assert prose.plain(marked) == shown


@pytest.mark.parametrize(
    ("rule", "paragraph"),
    [
        (None, CAT),
        (None, "If n_samples is larger than np.inf then main() is called (see the notes)."),
        (None, 'It is "an example of a quoted sentence in the text."'),
        ("short", "Return the sum of all numbers."),
        ("fragment", "the cat that sat on the mat is not the one that we saw."),
        ("fragment", "The cat that sat on the mat is not the one that we saw"),
        ("code", "Type >>> cat to see the cat that sat on the mat is not here."),
        ("code", "The cat that sat on the mat is {} and not the one that we saw."),
        ("code", "The cat that sat on the %s is not the one that we saw."),
        ("code", r"The cat that sat on the mat is \alpha and not the one that we saw."),
        ("code", "The cat that sat on the mat is at http://example.org and not here."),
        ("code", "The cat | that sat | on the mat | is not the one."),
        ("symbols", "The sum a+b is 3 if 1 + 2 = 3 and 4 / 2 = 2 as above."),
        ("list", "Linear Ridge Lasso Adam Adagrad Adafactor Lion Muon Shampoo Sophia."),
        ("list", "Knuth, Donald. Sorting and Searching. Addison Wesley, Reading, Massachusetts."),
    ],
)
def test_each_rule_drops_what_it_is_for(rule, paragraph):
    assert prose.broken_rule(paragraph) == rule


class TestRepeats:
    def test_a_paragraph_is_new_once(self):
        repeats = prose.Repeats()
        assert repeats.judge(CAT) is None
        assert repeats.judge(CAT.upper().replace(",", "")) == "duplicate"
        assert repeats.judge(DOG) is None

    def test_more_than_half_of_the_runs_seen_before_is_a_repeat(self):
        new = "zebra yak wolf viper urchin tiger snake rabbit quail panther"
        old = " ".join(prose.bare_words(CAT))  # 17 words, 10 runs
        for extra, verdict in [(9, "repeat"), (10, None)]:  # 10 of 19, 10 of 20
            repeats = prose.Repeats()
            repeats.judge(CAT)
            assert repeats.judge(" ".join([old, *new.split()[:extra]])) == verdict

    def test_the_runs_of_a_dropped_paragraph_are_remembered_too(self):
        repeats = prose.Repeats()
        verdicts = [repeats.judge(p) for p in (CAT, CAT + " Yes.", CAT + " Yes. No.")]
        assert verdicts == [None, "repeat", "repeat"]


class TestBuild:
    def test_every_long_string_counts_and_nothing_is_imported(self, tmp_path):
        source = f'raise RuntimeError\nadd_docstr(f, "{CAT}")\ndef f():\n    """{DOG}"""\n'
        built = package_docs.build({"p": write_package(tmp_path, a=source)})
        assert {*built["train"].split("\n\n"), *built["validation"].split("\n\n")} == {CAT, DOG, ""}

    def test_f_strings_and_short_strings_are_left_out(self):
        source = f'f"{CAT}{{x}}{DOG}"\n"short"\n"{CAT}"'.encode()
        assert list(package_docs.long_strings(source)) == [CAT]

    def test_tests_and_generated_files_are_left_out(self, tmp_path):
        write_package(tmp_path, b="", a="", version="")
        write_package(tmp_path / "sub", c="")
        write_package(tmp_path / "sub" / "tests", d="")
        assert package_docs.source_files(tmp_path) == ["a.py", "b.py", "sub/c.py"]

    def test_each_file_is_on_one_side_of_the_split_and_repeats_on_neither(self, tmp_path):
        names = ["".join(letters) for letters in itertools.product("abcdef", repeat=3)]
        texts = {n: f"The {' '.join(n + c for c in 'ghijklm')} is on the way to the house." for n in names}
        files = {n: f'"""{t}\n\n    {CAT}"""' for n, t in texts.items()}
        built = package_docs.build({"p": write_package(tmp_path, **files)})
        train, held = built["train"].split("\n\n"), built["validation"].split("\n\n")
        for n, t in texts.items():
            side, other = (train, held) if package_docs.split(f"p/{n}.py") == "train" else (held, train)
            assert t in side
            assert t not in other
        assert (train + held).count(CAT) == 1
        assert built["counts"] == {"kept": 217, "duplicate": 215}
        assert 2 <= len(held) <= 20

    def test_the_paragraphs_of_a_package_stand_together_and_are_counted(self, tmp_path):
        roots = {
            "cats": write_package(tmp_path / "cats", a=f'"""{CAT}"""', b=f'"""{CAT}"""', c='"""none"""'),
            "none": write_package(tmp_path / "none", a="x = 1"),
            "dogs": write_package(tmp_path / "dogs", a=f'"""{DOG}"""'),
        }
        built = package_docs.build(roots)
        assert built["train"].split("\n\n") == [CAT, DOG]
        assert list(built["packages"]["train"].items()) == [("cats", 1), ("none", 0), ("dogs", 1)]
        assert built["packages"]["validation"] == {"cats": 0, "none": 0, "dogs": 0}

    def test_it_says_how_far_it_is(self, tmp_path, monkeypatch):
        monkeypatch.setattr("minilib.data.progress.FIRST", 0.0)
        said = []
        package_docs.build({"p": write_package(tmp_path, a="x" * 500_000, b="y" * 1_500_000)}, said.append)
        assert [line.split(",")[0] for line in said] == [
            "reading docstrings: 0.5 million characters of 2.0",
            "reading docstrings: 2.0 million characters of 2.0",
        ]

    def test_two_processes_with_other_hash_seeds_build_the_same_bytes(self, tmp_path):
        root = write_package(tmp_path, **{f"m{i}": f'"""{CAT} {DOG} {i}."""' for i in range(9)})
        code = (
            "import pathlib, sys; from minilib.data import download, package_docs;"
            "print(download.digest(package_docs.build({'p': pathlib.Path(sys.argv[1])})))"
        )
        outputs = {
            subprocess.run(
                [sys.executable, "-c", code, str(root)],
                env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(data.__path__[0]).parents[1])},
                capture_output=True,
                check=True,
                text=True,
            ).stdout
            for seed in ("1", "2")
        }
        assert len(outputs) == 1
        assert len(outputs.pop().strip()) == 64


class TestCache:
    @pytest.fixture
    def tiny(self, tmp_path, monkeypatch):
        """`docstrings()` over one tiny package, in an empty cache; a list that grows per build."""
        write_package(tmp_path / "tiny_package", __init__=f'"""{CAT}"""')
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setenv("MINILIB_DATA", str(tmp_path / "data"))
        monkeypatch.setattr(package_docs, "PACKAGES", {"tiny_package": "tiny"})
        monkeypatch.setattr(package_docs, "version", lambda distribution: "1.0+cpu")
        builds = []
        build = package_docs.build
        monkeypatch.setattr(package_docs, "build", lambda roots, say: builds.append(roots) or build(roots, say))
        return builds

    def file(self, tmp_path):
        (file,) = (tmp_path / "data" / "docstrings").iterdir()  # and no left-over part
        return file

    def test_the_second_call_reads_what_the_first_one_built(self, tiny, tmp_path):
        first, second = data.docstrings(), data.docstrings()
        assert first == second
        assert len(tiny) == 1
        assert first.sources == {"tiny": "1.0"}
        assert first.train + first.validation == CAT
        assert self.file(tmp_path).suffix == ".json"

    @pytest.mark.parametrize("damage", ["cut", "changed", "empty", "foreign"])
    def test_a_damaged_file_is_built_anew(self, tiny, tmp_path, damage):
        first = data.docstrings()
        file = self.file(tmp_path)
        whole = file.read_text()
        broken = {"cut": whole[:-9], "changed": whole.replace("cat", "dog"), "empty": "", "foreign": "[]"}
        file.write_text(broken[damage])
        assert data.docstrings() == first
        assert len(tiny) == 2
        assert self.file(tmp_path).read_text() == whole

    def test_another_version_or_other_rules_give_another_file(self, tiny, tmp_path, monkeypatch):
        data.docstrings()
        monkeypatch.setattr(package_docs, "version", lambda distribution: "1.1")
        data.docstrings()
        rules = tmp_path / "rules.py"
        rules.write_text("# changed")
        monkeypatch.setattr(package_docs.prose, "__file__", str(rules))
        data.docstrings()
        assert len(tiny) == 3
        assert len(list((tmp_path / "data" / "docstrings").iterdir())) == 3

    def test_a_failed_build_leaves_no_file(self, tmp_path):
        with pytest.raises(TypeError):
            download.cached(tmp_path / "x" / "y.json", lambda: {"not json": object()})
        assert not (tmp_path / "x").exists() or list((tmp_path / "x").iterdir()) == []

    def test_a_missing_package_is_named(self, monkeypatch):
        monkeypatch.setattr(package_docs, "PACKAGES", {"no_such_package_here": "no-such-package"})
        with pytest.raises(ModuleNotFoundError, match="no-such-package is not installed"):
            data.docstrings()

    def test_the_folder_is_minilib_data_or_the_cache_folder(self, monkeypatch, tmp_path):
        monkeypatch.setenv("MINILIB_DATA", str(tmp_path))
        assert data.data_folder() == tmp_path
        monkeypatch.delenv("MINILIB_DATA")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert data.data_folder() == tmp_path / "minilib"


class Server:
    """Serves what `files` has, by path; `asked` are the paths that were asked for."""

    def __init__(self):
        self.files, self.asked, outer = {}, [], self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append(self.path)
                data, size = outer.files.get(self.path, (None, 0))
                self.send_response(404 if data is None else 200)
                self.send_header("Content-Length", str(size))
                self.end_headers()
                self.wfile.write(data or b"")

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def put(self, path, data, size=None):
        """Serve data, and say that it has `size` bytes."""
        self.files[path] = (data, len(data) if size is None else size)
        return f"{self.address}{path}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.setenv("MINILIB_DATA", str(tmp_path))
    server = Server()
    yield server
    server.close()


class TestDownloaded:
    """A file whose sha256 is known."""

    TEXT = b"what is to be had"
    SUM = hashlib.sha256(TEXT).hexdigest()

    def test_a_file_comes_once_and_another_one_in_its_place_is_replaced(self, server, tmp_path):
        path = tmp_path / "set" / "file.gz"
        path.parent.mkdir(parents=True)
        path.write_bytes(b"another")
        address = server.put("/there", self.TEXT)
        for _ in range(2):
            assert download.downloaded("set/file.gz", self.SUM, address) == path
            assert path.read_bytes() == self.TEXT
        assert server.asked == ["/there"]
        assert list(path.parent.iterdir()) == [path]

    def test_a_download_that_is_not_the_known_file_is_not_kept(self, server, tmp_path):
        address = server.put("/there", self.TEXT)
        with pytest.raises(ValueError, match=f"file.gz is not there; .* {address} .sha256 {'0' * 64}"):
            download.downloaded("set/file.gz", "0" * 64, address)
        assert list((tmp_path / "set").iterdir()) == []

    def test_a_folder_that_has_the_file_is_only_read(self, server, tmp_path):
        (tmp_path / "file").write_bytes(self.TEXT)
        before = tmp_path.stat().st_mtime_ns
        download.downloaded("file", self.SUM, server.address)
        assert tmp_path.stat().st_mtime_ns == before
        assert server.asked == []


class TestFirstDownload:
    """A file whose sha256 nobody has published."""

    DATA = b"a shard of the web"
    SUM = hashlib.sha256(DATA).hexdigest()

    def test_its_sum_is_noted_and_it_is_not_downloaded_again(self, server, tmp_path):
        address = server.put("/a", self.DATA)
        for _ in range(2):
            path = download.downloaded("c4/a.gz", None, address, len(self.DATA))
            assert path.read_bytes() == self.DATA
        assert server.asked == ["/a"]
        assert (tmp_path / "c4" / "a.gz.sha256").read_text().strip() == self.SUM

    def test_from_then_on_another_file_is_not_taken(self, server, tmp_path):
        address = server.put("/a", self.DATA)
        path = download.downloaded("c4/a.gz", None, address)
        path.write_bytes(b"damaged")
        assert download.downloaded("c4/a.gz", None, address).read_bytes() == self.DATA
        path.write_bytes(b"damaged")
        server.put("/a", b"what is there now")
        with pytest.raises(ValueError, match=f"is another file; .*sha256 {self.SUM}, as a.gz.sha256 says") as error:
            download.downloaded("c4/a.gz", None, address)
        assert "\n" not in str(error.value)

    def test_a_file_that_somebody_put_there_is_trusted_as_it_is(self, server, tmp_path):
        (tmp_path / "c4").mkdir()
        (tmp_path / "c4" / "a.gz").write_bytes(self.DATA)
        download.downloaded("c4/a.gz", None, f"{server.address}/nothing")
        assert server.asked == []
        assert (tmp_path / "c4" / "a.gz.sha256").read_text().strip() == self.SUM

    @pytest.mark.parametrize("sha256", [None, SUM])
    def test_an_interrupted_download_leaves_nothing(self, server, tmp_path, sha256):
        address = server.put("/a", self.DATA, size=len(self.DATA) + 5)
        with pytest.raises(ValueError, match="a.gz is not there; put there what is at") as error:
            download.downloaded("c4/a.gz", sha256, address)
        assert "\n" not in str(error.value)
        assert list((tmp_path / "c4").iterdir()) == []

    def test_another_size_than_the_known_one_is_not_kept(self, server, tmp_path):
        with pytest.raises(ValueError, match="what came has 18 bytes, not 19"):
            download.downloaded("c4/a.gz", None, server.put("/a", self.DATA), 19)
        assert list((tmp_path / "c4").iterdir()) == []

    def test_no_network_is_one_line_that_says_what_to_put_where(self, tmp_path, monkeypatch):
        monkeypatch.setenv("MINILIB_DATA", str(tmp_path))
        with pytest.raises(ValueError, match="its sha256 is not known, the first is trusted") as error:
            download.downloaded("c4/a.gz", None, "http://127.0.0.1:1/a")
        assert str(error.value).startswith(
            f"{tmp_path}/c4/a.gz is not there; put there what is at http://127.0.0.1:1/a"
        )
        assert "\n" not in str(error.value)


class TestFetch:
    def run(self, monkeypatch, *words):
        monkeypatch.setattr(sys, "argv", ["fetch", *words])
        return fetch.main()

    def test_the_list_names_all_with_size_licence_and_what_is_known_of_the_sum(self, monkeypatch, capsys):
        assert self.run(monkeypatch) == 0
        said = capsys.readouterr().out
        assert self.run(monkeypatch, "--list") == 0
        assert capsys.readouterr().out == said
        for name in ("novels", *catalogue.CATALOGUE):
            assert re.search(f"^{name} .*\n  .*(MB|not known).*; .*; checksum: (known|recorded)", said, re.MULTILINE)
        assert said.count("checksum: recorded at the first download") == 1

    def test_every_file_has_an_address_and_a_sum_of_the_right_form(self):
        files = [file for data_set in catalogue.CATALOGUE.values() for file in data_set.files.items()]
        assert len({name for name, _ in files}) == len(files) == 11
        for _, source in files:
            assert source.address.startswith("https://")
            assert source.sha256 is None or re.fullmatch("[0-9a-f]{64}", source.sha256)

    def test_a_data_set_is_downloaded_and_another_name_is_an_error(self, server, monkeypatch, capsys):
        data = b"sentence\t1\n"
        source = catalogue.Source(server.put("/t", data), hashlib.sha256(data).hexdigest(), len(data))
        known = catalogue.DataSet("about", "free", {"toy/train.tsv": source})
        monkeypatch.setitem(catalogue.CATALOGUE, "toy", known)
        assert self.run(monkeypatch, "toy") == 0
        (path,) = capsys.readouterr().out.split("\n")[:-1]
        assert Path(path).read_bytes() == data
        assert self.run(monkeypatch, "toys") == 2
        assert re.fullmatch("error: name = 'toys': must be one of novels, .*\n", capsys.readouterr().err)


class TestNovels:
    TEXTS = {"b.txt": "Two.\n\nEnd.", "a.txt": "Été.\n"}

    def packed(self, prefix, mode, extra=()):
        """An archive with the texts as they lie in the repository: with a byte order mark and \\r\\n."""
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode=mode) as archive:
            for name, text in [*self.TEXTS.items(), *extra]:
                data = ("\ufeff" + text).replace("\n", "\r\n").encode()
                member = tarfile.TarInfo(f"{prefix}/{name}")
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
        return buffer.getvalue()

    @pytest.fixture
    def known(self, server, monkeypatch, tmp_path):
        """Two novels in place of a hundred."""
        monkeypatch.setattr(novels, "SHA256", novels.fingerprint(self.TEXTS))
        monkeypatch.setattr(novels, "ADDRESS", f"{server.address}/repository.tar.gz")
        return tmp_path / "novels"

    def test_they_come_from_the_archive_where_the_cache_has_it(self, known, server):
        known.mkdir()
        (known / "100_english_novels.tar.xz").write_bytes(self.packed(".", "w:xz"))
        assert novels.novels() == self.TEXTS
        assert server.asked == []

    def test_else_from_the_repository_of_which_only_they_are_kept(self, known, server):
        server.put("/repository.tar.gz", self.packed("repo-1/corpus", "w:gz", [("../read.txt", "No."), ("x.csv", "1")]))
        for _ in range(2):
            assert novels.novels() == self.TEXTS
        assert len(server.asked) == 1
        assert [path.name for path in known.iterdir()] == ["corpus"]
        assert sorted(path.name for path in (known / "corpus").iterdir()) == ["a.txt", "b.txt"]

    def test_other_texts_are_an_error_and_are_not_kept(self, known, server):
        server.put("/repository.tar.gz", self.packed("repo-1/corpus", "w:gz", [("c.txt", "More.")]))
        with pytest.raises(ValueError, match="repository.tar.gz has other texts than the known novels"):
            novels.novels()
        assert not known.exists()
        (known / "corpus").mkdir(parents=True)
        with pytest.raises(ValueError, match="corpus has other texts than the known novels"):
            novels.novels()

    @pytest.mark.parametrize("damage", ["absent", "cut", "no archive"])
    def test_what_cannot_be_downloaded_is_said_in_one_line(self, known, server, damage):
        data = self.packed("repo-1/corpus", "w:gz")
        if damage != "absent":
            server.put(
                "/repository.tar.gz", data[:-40] if damage == "cut" else b"x" * 99, len(data) * (damage == "cut") + 99
            )
        with pytest.raises(ValueError, match="corpus is not there; put there the 100 files") as error:
            novels.novels()
        assert "\n" not in str(error.value)
        assert not known.exists()


class TestCifar10:
    def records(self, count):
        draw = np.random.default_rng(count)
        return np.hstack([draw.integers(0, 10, (count, 1)), draw.integers(0, 256, (count, 3072))]).astype(np.uint8)

    def test_the_official_files_are_read_plane_by_plane(self, server, tmp_path, monkeypatch):
        parts = {f"data_batch_{k}.bin": self.records(k) for k in range(1, 6)} | {"test_batch.bin": self.records(7)}
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
            for name, records in sorted(parts.items(), reverse=True):
                member = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
                member.size = records.size
                archive.addfile(member, io.BytesIO(records.tobytes()))
        packed = buffer.getvalue()
        source = catalogue.Source(server.put("/c", packed), hashlib.sha256(packed).hexdigest(), len(packed))
        known = catalogue.CATALOGUE["cifar10"]._replace(files={"cifar10/cifar-10-binary.tar.gz": source})
        monkeypatch.setitem(catalogue.CATALOGUE, "cifar10", known)
        found = data.cifar10()
        assert (found.x_train.shape, found.x_test.shape, found.source) == ((15, 3, 32, 32), (7, 3, 32, 32), "official")
        assert found.y_train.tolist() == [int(row[0]) for k in range(1, 6) for row in parts[f"data_batch_{k}.bin"]]
        record = parts["data_batch_2.bin"][0]
        assert found.x_train[1, 2, 3, 4] == record[1 + 2 * 1024 + 3 * 32 + 4]

    def test_a_copy_in_jpeg_is_taken_where_the_cache_has_it(self, server, tmp_path):
        (tmp_path / "cifar10").mkdir()
        colours = [(250, 10, 10), (10, 250, 10), (10, 10, 250)]
        jpegs = []
        for colour in colours:
            buffer = io.BytesIO()
            Image.new("RGB", (32, 32), colour).save(buffer, "JPEG", quality=95)
            jpegs.append(buffer.getvalue())
        about = {"jpeg": np.frombuffer(b"".join(jpegs), np.uint8), "offsets": np.cumsum([0, *map(len, jpegs)])}
        for part in ("train", "test"):
            np.savez(tmp_path / "cifar10" / f"{part}.npz", **about, labels=np.array([3, 1, 2], np.uint8))
        found = data.cifar10()
        assert (found.source, found.y_test.tolist(), found.x_train.dtype) == ("JPEG copy", [3, 1, 2], np.uint8)
        assert found.x_train.mean(axis=(2, 3)) == pytest.approx(np.array(colours), abs=4)
        assert server.asked == []
        (tmp_path / "cifar10" / "test.npz").write_bytes(b"no")
        with pytest.raises(ValueError, match="test.npz cannot be read"):
            data.cifar10()


class TestCorpus:
    def test_it_is_the_same_to_the_byte_with_the_locked_packages(self, docs):
        assert docs.sources == VERSIONS
        words = prose.bare_words(docs.train) + prose.bare_words(docs.validation)
        assert (len(words), len(set(words))) == (WORDS, DISTINCT_WORDS)
        both = f"{docs.train}\0{docs.validation}".encode()
        assert hashlib.sha256(both).hexdigest() == SHA256

    def test_every_package_gave_some_of_each_part(self, docs):
        for part in ("train", "validation"):
            assert list(docs.packages[part]) == list(package_docs.PACKAGES)
            assert min(docs.packages[part].values()) > 100
            assert sum(docs.packages[part].values()) == len(getattr(docs, part).split("\n\n"))

    def test_about_a_twentieth_is_held_out(self, docs):
        assert 0.03 < len(docs.validation) / len(docs.train) < 0.08

    def test_no_paragraph_occurs_twice_and_each_keeps_the_rules(self, docs):
        paragraphs = [*docs.train.split("\n\n"), *docs.validation.split("\n\n")]
        assert len(set(paragraphs)) == len(paragraphs) == docs.counts["kept"]
        assert {prose.broken_rule(p) for p in paragraphs} == {None}
        assert not any("\n" in p for p in paragraphs)

    def test_little_of_the_held_out_text_occurs_in_the_training_text(self, docs):
        train = set(shingles(docs.train))
        held = shingles(docs.validation)
        # Measured: 0.147 over all paragraphs that keep the rules, 0.014 without the repeats.
        assert np.mean([run in train for run in held]) < 0.02

    def test_neither_torch_nor_the_other_packages_are_imported(self, docs):
        code = "import sys, minilib.data as d; d.docstrings(); print(*sys.modules)"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
        assert not {"torch", "scipy", "sklearn", "sympy", "matplotlib"} & set(run.stdout.split())


class TestText:
    def test_words_are_lower_case_and_punctuation_stands_alone(self):
        assert data.words("Don't use n_samples, e.g. well-known!") == (
            ["don't", "use", "n_samples", ",", "e", ".", "g", ".", "well-known", "!"]
        )

    def test_the_most_frequent_words_come_first_and_ties_by_the_alphabet(self):
        vocabulary = data.Vocabulary("b a b c a b d", size=6)
        assert vocabulary.tokens == ["<pad>", "<unk>", "<mask>", "b", "a", "c"]
        assert len(vocabulary) == 6
        ids = vocabulary.encode("A b D c")
        assert ids.dtype == np.int64
        assert ids.tolist() == [4, 3, vocabulary.unk, 5]
        assert vocabulary.decode(ids) == "a b <unk> c"
        assert (vocabulary.pad, vocabulary.mask) == (0, 2)

    def test_a_vocabulary_of_4096_words_knows_most_of_the_held_out_text(self, docs):
        vocabulary = data.Vocabulary(docs.train, 4096)
        ids = vocabulary.encode(docs.validation)
        assert len(vocabulary) == 4096
        assert np.mean(ids == vocabulary.unk) < 0.1
        assert data.chunks(ids, 64).shape == (len(ids) // 64, 64)

    def test_chunks_cut_in_order_and_drop_the_tail(self):
        assert data.chunks(np.arange(8), 3).tolist() == [[0, 1, 2], [3, 4, 5]]

    @pytest.mark.parametrize("length", [0, -1, 9])
    def test_a_bad_chunk_length_is_refused(self, length):
        with pytest.raises(ValueError, match=f"length = {length}: must be from 1 to 8"):
            data.chunks(np.arange(8), length)

    def test_other_bad_input_is_refused(self):
        with pytest.raises(ValueError, match="ids has shape"):
            data.chunks(np.zeros((2, 2), int), 2)
        with pytest.raises(ValueError, match="size = 3: must be at least 4"):
            data.Vocabulary("a b", size=3)
