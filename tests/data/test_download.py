"""What is downloaded: once, whole or not at all, and only the known file."""

import hashlib
import io
import re
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("sha256", [None, SUM])
@pytest.mark.parametrize("there", [False, True])
def test_a_file_comes_once_and_one_that_somebody_put_there_is_only_read(server, tmp_path, sha256, there):
    path, address = tmp_path / "set" / "a.gz", server.put("/a", DATA)
    if there:
        path.parent.mkdir()
        path.write_bytes(DATA)
    for _ in range(2):
        assert download.downloaded("set/a.gz", sha256, address).read_bytes() == DATA
    assert server.asked == ([] if there else ["/a"])
    path.write_bytes(b"damaged")
    got = download.downloaded("set/a.gz", sha256, address).read_bytes()
    assert got == (DATA if sha256 else b"damaged")  # without a sum nobody knows
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("sha256", "size", "why"),
    [("0" * 64, None, r"\(sha256 0{64}\)"), (None, 99, r"\(sha256 not known\)"), (SUM, 99, rf"\(sha256 {SUM}\)")],
)
def test_what_is_not_the_whole_known_file_is_not_kept(server, tmp_path, sha256, size, why):
    address = server.put("/a", DATA, size)
    message = f"a.gz is not there; put there what is at {address} {why}, since it cannot be downloaded: "
    with pytest.raises(ValueError, match=f"^.*{message}.*$"):  # one line
        download.downloaded("set/a.gz", sha256, address)
    assert list((tmp_path / "set").iterdir()) == []


def test_the_list_names_all_with_its_licence_and_one_is_downloaded(server, monkeypatch, program):
    code, output, _ = program(fetch)
    assert (code, output) == program(fetch, "--list")[:2] == (0, output)
    for name, (_, _, files) in catalogue.CATALOGUE.items():
        assert re.search(f"^{name} .*\n  +[A-Za-z]", output, re.MULTILINE)
        for address, sha256 in files.values():
            assert re.fullmatch(r"https://\S+ ([0-9a-f]{64}|None)", f"{address} {sha256}")
    toy = catalogue.DataSet("about", "free", {"toy/train.tsv": (server.put("/t", DATA), SUM)})
    monkeypatch.setitem(catalogue.CATALOGUE, "toy", toy)
    code, output, _ = program(fetch, "toy")
    assert (code, Path(output.removesuffix("\n")).read_bytes()) == (0, DATA)
    code, _, error = program(fetch, "toys")
    assert code == 2
    assert re.fullmatch("error: name = 'toys': must be one of novels, .*\n", error)


TEXTS = {"b.txt": "Two.\n\nEnd.", "a.txt": "Été.\n"}


def packed(prefix, **more):
    """An archive with the texts as they lie in the repository: with a byte order mark and \\r\\n."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in (TEXTS | more).items():
            data = f"\ufeff{text}".replace("\n", "\r\n").encode()
            member = tarfile.TarInfo(f"{prefix}/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("served", "wrong"),
    [
        (packed("repo-1/corpus", **{"../read.txt": "No.", "x.csv": "1"}), None),
        (packed("."), None),
        (packed("r/corpus")[:-40], "Compressed file ended"),
        (b"x" * 99, "could not be opened"),
        (packed("r/corpus", **{"c.txt": "More."}), "the sha256 of its names and texts is"),
    ],
    ids=["repository", "by hand", "cut", "no archive", "other texts"],
)
def test_the_novels_are_known_by_their_texts_however_they_were_packed(server, monkeypatch, served, wrong):
    monkeypatch.setattr(novels, "SHA256", fingerprint(part for name in sorted(TEXTS) for part in (name, TEXTS[name])))
    (name,) = catalogue.CATALOGUE["novels"].files
    files = {name: (server.put("/all.tar.gz", served), None)}
    monkeypatch.setitem(catalogue.CATALOGUE, "novels", catalogue.CATALOGUE["novels"]._replace(files=files))
    for _ in range(2):
        if wrong is None:
            assert novels.novels() == TEXTS
        else:
            with pytest.raises(ValueError, match=rf"^.*xz must be an archive of the known novels; remove it .*{wrong}"):
                novels.novels()
    assert server.asked == ["/all.tar.gz"]
