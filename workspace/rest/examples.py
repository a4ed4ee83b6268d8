"""What the description of the calls shows: one document, one commit of it and one agent, the same throughout."""

COMMIT = "9f2c1e7a4b8d3650c1d9e8f7a6b5c4d3e2f1a0b9c8d7e6f5a4b3c2d1e0f9a8b7"
PARENT = "1b7d0c5e9a8f4632d1c0b9a8f7e6d5c4b3a2f1e0d9c8b7a6f5e4d3c2b1a0f9e8"
DOCUMENT = "doc_01kb7mzq3v5h8x2c9n4r6t0wye"
SCOUT = {
    "kind": "agent",
    "label": "scout",
    "person": "Alice",
    "email": "alice@example.org",
    "agent": "agt_01kb7n1f3h5k7m9p1r3t5v7x9z",
    "host": "claude-code",
}
WRITTEN = {
    "location": "product/launch/plan.md",
    "id": DOCUMENT,
    "commit": COMMIT,
    "parents": [PARENT],
    "outcome": "saved",
    "citation": f"product/launch/plan.md@{COMMIT}",
    "web_url": "https://baton.example.org/d/product/launch/plan.md",
    "created_folders": [],
    "decisions": [],
}
A_COMMIT = {
    "id": COMMIT,
    "document": DOCUMENT,
    "location": "product/launch/plan.md",
    "number": 2,
    "kind": "edit",
    "parents": [PARENT],
    "author": SCOUT,
    "message": "Move the launch",
    "reason": "The import is not ready.",
    "via": "rest",
    "session": "",
    "bytes": 34,
    "lines": 3,
    "merge_version": None,
    "decisions": [],
    "committed_at": "2026-11-29T08:00:00.000000Z",
    "web_url": f"https://baton.example.org/d/product/launch/plan.md?at={COMMIT}",
}
A_TEXT = {
    "location": "product/launch/plan.md",
    "id": DOCUMENT,
    "title": "Launch plan",
    "content": "# Launch plan\n\nWe launch in June.\n",
    "commit": COMMIT,
    "head_commit": COMMIT,
    "parents": [PARENT],
    "number": 2,
    "kind": "edit",
    "author": SCOUT,
    "committed_at": "2026-11-29T08:00:00.000000Z",
    "message": "Move the launch",
    "reason": "",
    "truncated": False,
    "next_offset": None,
    "total_bytes": 34,
    "total_lines": 3,
    "start_line": 1,
    "end_line": 3,
    "indexed_at": "2026-11-29T08:00:01.000000Z",
    "stale": False,
    "citation": f"product/launch/plan.md@{COMMIT}",
    "web_url": "https://baton.example.org/d/product/launch/plan.md",
    "abilities": {
        "role": "editor",
        "read": True,
        "edit": True,
        "create": True,
        "delete": True,
        "share": True,
        "manage": False,
    },
}
A_CONFLICT = {
    "base_commit": PARENT,
    "head_commit": COMMIT,
    "conflict_id": "cfl_01kb7n0a2c4e6g8j0m2p4r6t8v",
    "id": DOCUMENT,
    "location": "product/launch/plan.md",
    "hunks": [
        {
            "index": 0,
            "kind": "modify/modify",
            "base": "We launch in May.\n",
            "theirs": "We launch in June.\n",
            "mine": "We launch in April.\n",
            "heading": "Dates",
            "path": ["Launch plan", "Dates"],
            "base_lines": [5, 5],
            "theirs_lines": [5, 5],
            "mine_lines": [5, 5],
            "suggestion": None,
        }
    ],
    "kept": [],
    "merged_preview": "# Launch plan\n\n## Dates\n\n<<<<<<< mine\nWe launch in April.\n||||||| base\n"
    "We launch in May.\n=======\nWe launch in June.\n>>>>>>> theirs\n",
    "replayed": False,
}
