"""A model that calls one tool and is then content, in the forms in which agent hosts ask for one: Anthropic's messages,
OpenAI's responses and Google's contents."""

import json
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DONE = "I have seen it."


@dataclass
class Model:
    """``tool`` is the end of the name of the tool that it calls once, with ``arguments``. ``asked`` is what it was
    sent, whole; ``says`` its last word; ``url`` where it listens."""

    tool: str
    arguments: dict[str, Any]
    says: str = DONE
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    called: str = ""

    def choice(self, request: dict[str, Any]) -> str:
        """The tool to call now; "" for none."""
        self.asked.append(request)
        if self.called:
            return ""
        self.called = next((name for name in offered(request) if name.endswith(self.tool)), "")
        return self.called


def offered(request: dict[str, Any]) -> list[str]:
    """The names of the tools that a request offers, those in a namespace with it before them."""
    names = []
    for tool in request.get("tools") or []:
        name = tool.get("name", "")
        if "functionDeclarations" in tool:
            names += [inner["name"] for inner in tool["functionDeclarations"]]
        else:
            names += [f"{name}{inner['name']}" for inner in tool.get("tools", [])] if "tools" in tool else [name]
    return names


@contextmanager
def model(tool: str, arguments: dict[str, Any], *, says: str = DONE) -> Iterator[Model]:
    """A model that listens for as long as the block runs."""
    made = Model(tool, arguments, says=says)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.received() or b"{}")
            path = self.path.partition("?")[0]
            if path.endswith("/v1/messages"):
                self.stream(messages(made, request))
            elif path.endswith("/responses"):
                self.stream(responses(made, request))
            elif path.endswith(":streamGenerateContent"):
                self.send(f"data: {json.dumps(contents(made, request))}\r\n\r\n".encode(), "text/event-stream")
            elif path.endswith(":generateContent"):
                self.answer(contents(made, request))
            elif path.endswith(":countTokens"):
                self.answer({"totalTokens": 10})
            else:
                self.answer({"input_tokens": 10})

        def do_GET(self) -> None:
            self.answer({"object": "list", "data": [], "models": []})

        def do_HEAD(self) -> None:
            self.answer({})

        def received(self) -> bytes:
            if "chunked" not in self.headers.get("Transfer-Encoding", ""):
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = b""
            while length := int(self.rfile.readline().partition(b";")[0], 16):
                body += self.rfile.read(length)
                self.rfile.readline()
            self.rfile.readline()
            return body

        def stream(self, events: Iterable[dict[str, Any]]) -> None:
            body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
            self.send(body.encode(), "text/event-stream")

        def answer(self, found: dict[str, Any]) -> None:
            self.send(json.dumps(found).encode(), "application/json")

        def send(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=10)


def messages(made: Model, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """An answer in the events of Anthropic's messages."""
    tool = made.choice(request)
    usage = {"input_tokens": 1, "output_tokens": 1}
    head = {"id": f"msg_{len(made.asked)}", "type": "message", "role": "assistant", "model": "fake", "content": []}
    yield {"type": "message_start", "message": {**head, "stop_reason": None, "stop_sequence": None, "usage": usage}}
    if tool:
        block: dict[str, Any] = {"type": "tool_use", "id": "toolu_1", "name": tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(made.arguments)}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": made.says}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    ended = {"stop_reason": "tool_use" if tool else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": usage}
    yield {"type": "message_stop"}


def responses(made: Model, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """An answer in the events of OpenAI's responses."""
    tool = made.choice(request)
    number = len(made.asked)
    if tool:
        item: dict[str, Any] = {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": "call_1",
            "name": tool,
            "arguments": json.dumps(made.arguments),
        }
        item |= space(request, tool)
    else:
        text = {"type": "output_text", "text": made.says, "annotations": []}
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": [text]}
    item["status"] = "completed"
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, **details}
    head = {"id": f"resp_{number}", "object": "response", "model": "fake", "output": [item], "usage": usage}
    yield {"type": "response.created", "response": {**head, "status": "in_progress", "output": []}}
    if not tool:
        # Some hosts put a text together out of its pieces, and others take it whole from the end.
        at = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        begun = {**item, "status": "in_progress", "content": []}
        yield {"type": "response.output_item.added", "output_index": 0, "item": begun}
        yield {"type": "response.content_part.added", **at, "part": {**text, "text": ""}}
        yield {"type": "response.output_text.delta", **at, "delta": made.says}
        yield {"type": "response.output_text.done", **at, "text": made.says}
        yield {"type": "response.content_part.done", **at, "part": text}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": {**head, "status": "completed"}}


def space(request: dict[str, Any], tool: str) -> dict[str, str]:
    """The name of a tool that is in a namespace, taken apart again."""
    for group in request.get("tools") or []:
        for inner in group.get("tools", []) if "tools" in group else []:
            if f"{group['name']}{inner['name']}" == tool:
                return {"namespace": group["name"], "name": inner["name"]}
    return {}


def contents(made: Model, request: dict[str, Any]) -> dict[str, Any]:
    """An answer in the one chunk that Google's streams may consist of."""
    tool = made.choice(request)
    part: dict[str, Any] = {"functionCall": {"name": tool, "args": made.arguments}} if tool else {"text": made.says}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "fake"}
