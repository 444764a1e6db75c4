"""Files that are there whole or not at all, and otherwise as `open` would have written them."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from manyheads.whole_files import PACKAGE, read_whole, write_whole


def write(path, text="tea"):
    with write_whole(path) as beside:
        beside.write_text(text)


def test_a_link_leads_to_what_is_written_and_modes_stay(tmp_path):
    target, link, new, plain = (tmp_path / name for name in ("target.txt", "link.txt", "new.txt", "plain.txt"))
    target.write_text("before")
    target.chmod(0o664)
    link.symlink_to(target)
    write(link, "after")
    assert link.is_symlink()
    assert target.read_text() == "after"
    assert stat.S_IMODE(target.stat().st_mode) == 0o664
    write(new)
    plain.touch()
    assert new.stat().st_mode == plain.stat().st_mode, "as `open` makes it"


def test_threads_may_write_one_path(tmp_path):
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda at: write(tmp_path / "one.txt", str(at) * 100_000), range(40)))
    text = (tmp_path / "one.txt").read_text()
    assert len(text) in (100_000, 200_000)
    assert [path.name for path in tmp_path.iterdir()] == ["one.txt"]


def test_any_name_that_open_takes(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path / ("n" * 248 + ".html"))
    write("~/home.txt")
    assert (tmp_path / "home.txt").is_file()
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write(tmp_path / "pipe")
    assert os.read(reader, 9) == b"tea"
    os.close(reader)


def lose(path):
    with write_whole(path) as beside:
        beside.unlink()
        beside.read_text()


def test_errors_name_the_path_that_was_given(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*deep\. Make it first"):
        write(tmp_path / "deep" / "x.txt")
    with pytest.raises(IsADirectoryError, match="name a file in it"):
        write(tmp_path)
    with pytest.raises(OSError, match=r"x\.txt'$") as raised:
        lose(tmp_path / "x.txt")
    assert raised.value.filename == str(tmp_path / "x.txt")
    assert list(tmp_path.iterdir()) == []


def test_what_came_with_the_package_is_installed_again():
    with (
        pytest.raises(ValueError, match=r"results\.json is damaged .*--force-reinstall"),
        read_whole(PACKAGE / "results.json"),
    ):
        raise ValueError("half a file")
