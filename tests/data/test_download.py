"""What is downloaded: once, whole or not at all, and only the known file; the sets that are kept so."""

import hashlib
import io
import re
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from minilib import data
from minilib.data import catalogue, download, fetch, novels
from minilib.data.files import fingerprint

DATA = b"a shard of the web"
SUM = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def server(tmp_path, monkeypatch):
    """`server.put(path, data)` serves data and returns its address; `server.asked` are the paths that were asked for.

    The cache is `tmp_path`.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            server.asked.append(self.path)
            data, size = server.files.get(self.path, (b"", 0))
            self.send_response(200 if self.path in server.files else 404)
            self.send_header("Content-Length", str(size))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    def put(path, data, size=None):
        """`size` is what it is said to have in bytes."""
        server.files[path] = data, len(data) if size is None else size
        return f"http://127.0.0.1:{server.server_port}{path}"

    monkeypatch.setenv("MINILIB_DATA", str(tmp_path))
    server = HTTPServer(("127.0.0.1", 0), Handler)
    server.files, server.asked, server.put = {}, [], put
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def packed(mode, files):
    """An archive of (name, bytes)."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in files:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


class TestDownloaded:
    """A file whose sha256 is known, or that nobody has published (None)."""

    @pytest.fixture
    def get(self, server, tmp_path):
        """`get(sha256, data)` downloads the data as set/a.gz; `get.path` and `get.note`: where it and its sum lie."""

        def get(sha256, data=DATA, served=None, size=None):
            return download.downloaded("set/a.gz", sha256, server.put("/a", data, served), size).read_bytes()

        get.path, get.note = tmp_path / "set" / "a.gz", tmp_path / "set" / "a.gz.sha256"
        return get

    @pytest.mark.parametrize("sha256", [None, SUM])
    def test_it_comes_once_and_another_one_in_its_place_is_replaced(self, get, server, sha256):
        assert get(sha256) == get(sha256) == DATA
        assert server.asked == ["/a"]
        get.path.write_bytes(b"damaged")
        assert get(sha256) == DATA
        assert {*get.path.parent.iterdir()} == {get.path} | ({get.note} if sha256 is None else set())
        assert sha256 or get.note.read_text().strip() == SUM

    @pytest.mark.parametrize("sha256", [None, SUM])
    def test_a_file_that_somebody_put_there_is_only_read(self, get, server, sha256):
        get.path.parent.mkdir()
        get.path.write_bytes(DATA)
        before = get.path.parent.stat().st_mtime_ns
        assert get(sha256, b"another") == DATA
        assert server.asked == []
        assert (get.path.parent.stat().st_mtime_ns == before) == (sha256 is not None)
        assert sha256 or get.note.read_text().strip() == SUM  # it is trusted as it is

    @pytest.mark.parametrize(
        ("sha256", "more", "why"),
        [
            ("0" * 64, {}, r"is not there; put there what is at http://127.0.0.1:\d+/a \(sha256 0{64}\)"),
            (None, {"served": len(DATA) + 5}, "is not there; put there what is at"),  # an interrupted download
            (SUM, {"served": len(DATA) + 5}, "is not there; put there what is at"),
            (None, {"size": 19}, "what came has 18 bytes, not 19"),
        ],
    )
    def test_what_is_not_the_whole_known_file_is_not_kept(self, get, sha256, more, why):
        with pytest.raises(ValueError, match=f"^.*a.gz .*{why}.*$"):  # one line
            get(sha256, **more)
        assert list(get.path.parent.iterdir()) == []

    def test_where_the_first_was_trusted_another_one_is_not_taken(self, get):
        get(None)
        get.path.write_bytes(b"damaged")
        with pytest.raises(ValueError, match=f"^.*is another file; .*sha256 {SUM}, as a.gz.sha256 says.*$"):
            get(None, b"what is there now")

    def test_no_network_is_one_line_that_says_what_to_put_where(self, get):
        said = f"^{get.path} is not there; put there what is at http://127.0.0.1:1/a .its sha256 is not known, the .*$"
        with pytest.raises(ValueError, match=said):
            download.downloaded("set/a.gz", None, "http://127.0.0.1:1/a")


class TestFetch:
    def test_the_list_names_all_with_size_licence_and_what_is_known_of_the_sum(self, program):
        code, said, _ = program(fetch)
        assert code == 0
        assert program(fetch, "--list") == (0, said, "")
        for name in ("novels", *catalogue.CATALOGUE):
            assert re.search(f"^{name} .*\n  .*(MB|not known).*; .*; checksum: (known|recorded)", said, re.MULTILINE)
        assert said.count("checksum: recorded at the first download") == 1

    def test_every_file_has_an_address_and_a_sum_of_the_right_form(self):
        files = [file for data_set in catalogue.CATALOGUE.values() for file in data_set.files.items()]
        assert len({name for name, _ in files}) == len(files) == 11
        for _, source in files:
            assert source.address.startswith("https://")
            assert source.sha256 is None or re.fullmatch("[0-9a-f]{64}", source.sha256)

    def test_a_data_set_is_downloaded_and_another_name_is_an_error(self, server, monkeypatch, program):
        source = catalogue.Source(server.put("/t", DATA), SUM, len(DATA))
        monkeypatch.setitem(catalogue.CATALOGUE, "toy", catalogue.DataSet("about", "free", {"toy/train.tsv": source}))
        code, said, _ = program(fetch, "toy")
        assert (code, Path(said.removesuffix("\n")).read_bytes()) == (0, DATA)
        code, _, error = program(fetch, "toys")
        assert code == 2
        assert re.fullmatch("error: name = 'toys': must be one of novels, .*\n", error)


class TestNovels:
    TEXTS = {"b.txt": "Two.\n\nEnd.", "a.txt": "Été.\n"}

    def packed(self, prefix, mode, **more):
        """An archive with the texts as they lie in the repository: with a byte order mark and \\r\\n."""
        texts = {name: f"\ufeff{text}".replace("\n", "\r\n").encode() for name, text in (self.TEXTS | more).items()}
        return packed(mode, [(f"{prefix}/{name}", data) for name, data in texts.items()])

    @pytest.fixture
    def path(self, server, monkeypatch, tmp_path):
        """Where the archive lies; there are two novels in place of a hundred."""
        said = (part for name in sorted(self.TEXTS) for part in (name, self.TEXTS[name]))
        monkeypatch.setattr(novels, "SHA256", fingerprint(said))
        monkeypatch.setattr(novels, "ADDRESS", f"http://127.0.0.1:{server.server_port}/all.tar.gz")
        return tmp_path / novels.ARCHIVE

    def test_they_come_from_the_archive_where_the_cache_has_it(self, path, server):
        path.parent.mkdir()
        path.write_bytes(self.packed(".", "w:xz"))
        assert novels.novels() == self.TEXTS
        assert server.asked == []

    def test_else_from_the_repository_of_which_only_they_are_read(self, path, server):
        server.put("/all.tar.gz", self.packed("repo-1/corpus", "w:gz", **{"../read.txt": "No.", "x.csv": "1"}))
        for _ in range(2):
            assert novels.novels() == self.TEXTS
        assert len(server.asked) == 1
        assert list(path.parent.iterdir()) == [path]

    @pytest.mark.parametrize("damage", ["absent", "cut", "no archive", "other texts"])
    def test_what_cannot_be_had_is_said_in_one_line_and_not_kept(self, path, server, damage):
        whole, other = self.packed("r/corpus", "w:gz"), self.packed("r/corpus", "w:gz", **{"c.txt": "More."})
        served = {"cut": (whole[:-40], len(whole)), "no archive": (b"x" * 99,), "other texts": (other,)}
        if damage != "absent":
            server.put("/all.tar.gz", *served[damage])
        others = "tar.{} has other texts than the known novels"
        had = "tar.xz must be there and readable; put there what is at .*all.tar.gz"
        said = others.format("gz") if damage == "other texts" else had
        with pytest.raises(ValueError, match=f"^.*{said}.*$"):
            novels.novels()
        assert list(path.parent.iterdir()) == []
        path.write_bytes(other if damage == "other texts" else b"x" * 99)
        said = others.format("xz") if damage == "other texts" else had
        with pytest.raises(ValueError, match=f"^.*{said}.*$"):
            novels.novels()


class TestCifar10:
    def records(self, count):
        draw = np.random.default_rng(count)
        return np.hstack([draw.integers(0, 10, (count, 1)), draw.integers(0, 256, (count, 3072))]).astype(np.uint8)

    def test_the_official_files_are_read_plane_by_plane(self, server, monkeypatch):
        parts = {f"data_batch_{k}.bin": self.records(k) for k in range(1, 6)} | {"test_batch.bin": self.records(7)}
        files = [(f"cifar-10-batches-bin/{name}", parts[name].tobytes()) for name in sorted(parts, reverse=True)]
        archive = packed("w:gz", files)
        source = catalogue.Source(server.put("/c", archive), hashlib.sha256(archive).hexdigest(), len(archive))
        known = catalogue.CATALOGUE["cifar10"]._replace(files={"cifar10/cifar-10-binary.tar.gz": source})
        monkeypatch.setitem(catalogue.CATALOGUE, "cifar10", known)
        found = data.cifar10()
        assert (found.x_train.shape, found.x_test.shape, found.source) == ((15, 3, 32, 32), (7, 3, 32, 32), "official")
        assert found.y_train.tolist() == [int(row[0]) for k in range(1, 6) for row in parts[f"data_batch_{k}.bin"]]
        record = parts["data_batch_2.bin"][0]
        assert found.x_train[1, 2, 3, 4] == record[1 + 2 * 1024 + 3 * 32 + 4]

    def test_a_copy_in_jpeg_is_taken_where_the_cache_has_it(self, server, tmp_path):
        (tmp_path / "cifar10").mkdir()
        colours, jpegs = [(250, 10, 10), (10, 250, 10), (10, 10, 250)], []
        for colour in colours:
            Image.new("RGB", (32, 32), colour).save(buffer := io.BytesIO(), "JPEG", quality=95)
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
