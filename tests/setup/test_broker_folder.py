"""The broker that needs nothing installed."""

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

from workspace.config import broker


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    options = dict.fromkeys(("data_folder_in", "data_folder_out", "control_folder"), str(tmp_path))
    with Connection("filesystem://localhost", transport_options=options) as made:
        yield made


def test_the_settings_take_this_transport_and_not_the_stock_one(connection: Connection) -> None:
    assert isinstance(connection.transport, broker.Transport)


def test_messages_come_out_once_in_the_order_they_went_in(connection: Connection) -> None:
    channel = connection.channel()
    for number in range(20):
        channel._put("q", {"number": number})
    assert [channel._get("q")["number"] for _ in range(20)] == list(range(20))
    with pytest.raises(Empty):
        channel._get("q")


def test_a_queue_never_sees_another_ones_messages(connection: Connection) -> None:
    channel = connection.channel()
    channel._put("b.q", {})
    with pytest.raises(Empty):
        channel._get("q")


def test_a_full_folder_takes_no_more(connection: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker, "MOST_WAITING", 5)
    channel = connection.channel()
    for number in range(9):
        channel._put("q", {"number": number})
    assert len(list(tmp_path.iterdir())) == 5


def test_a_message_that_a_crash_cut_short_is_dropped(connection: Connection, tmp_path: Path) -> None:
    (tmp_path / f"{0:020}_x.q.msg").write_text('{"half')
    channel = connection.channel()
    channel._put("q", {"number": 1})
    assert channel._get("q") == {"number": 1}
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("first", ["read", "write"])
def test_a_folder_that_was_taken_away_is_made_again(connection: Connection, tmp_path: Path, first: str) -> None:
    channel = connection.channel()
    channel._put("q", {"number": 1})
    shutil.rmtree(tmp_path)
    if first == "read":
        with pytest.raises(Empty):
            channel._get("q")
    channel._put("q", {"number": 2})
    assert channel._get("q") == {"number": 2}


def test_many_readers_and_writers_lose_and_double_nothing(connection: Connection, tmp_path: Path) -> None:
    got: list[int] = []

    def write(start: int) -> None:
        channel = connection.clone().channel()
        for number in range(start, start + 100):
            channel._put("q", {"number": number})

    def read() -> None:
        channel = connection.clone().channel()
        while not done.is_set() or channel._size("q"):
            try:
                got.append(channel._get("q")["number"])
            except Empty:
                continue

    done = threading.Event()
    readers = [threading.Thread(target=read) for _ in range(4)]
    writers = [threading.Thread(target=write, args=(start,)) for start in range(0, 400, 100)]
    for thread in readers + writers:
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    for thread in readers:
        thread.join()
    assert sorted(got) == list(range(400))
    assert not list(tmp_path.iterdir())


def test_what_crashed_processes_left_half_done_goes_and_messages_stay(tmp_path: Path) -> None:
    for name in ("1_a.draft", "1_b.q.msg.7.claimed", "1_c.q.msg", "2_d.draft"):
        (tmp_path / name).write_text("{}")
        os.utime(tmp_path / name, (1, 1) if name[0] == "1" else None)
    broker.make(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"1_c.q.msg", "2_d.draft"}
