"""Who may talk to the viewer: only the page that it served itself.

Any page that a browser shows may open a connection to this machine. Browsers say where such a page came from
(Origin) and by which name they reached us (Host): a page of somebody else has another origin, and a name that
somebody else made to lead here is not one of ours.
"""

from __future__ import annotations

import http
import ipaddress
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

Answer = Callable[[Any, Any], Any]


def find_objection(headers: Mapping[str, str], served_on: str) -> str:
    """Why a request is refused; empty if it is not. `served_on` is the address that was asked for."""
    host = headers.get("Host") or ""
    if not _is_ours(_strip_port(host), served_on):
        return f"this viewer is not called {host or 'nothing'}"
    origin = headers.get("Origin")
    if origin is not None and origin.lower() not in (f"http://{host}".lower(), f"https://{host}".lower()):
        return f"a page from {origin} may not look at this viewer"
    return ""


def _strip_port(host: str) -> str:
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    return name.removeprefix("[").removesuffix("]").lower()


def _is_ours(name: str, served_on: str) -> bool:
    """Whether a name can only mean this machine: an address, which nobody can make lead elsewhere, or its own name."""
    if name in ("localhost", served_on.lower()):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return not _is_local(served_on) and name == socket.gethostname().lower()
    return address.is_loopback or not _is_local(served_on)


def _is_local(served_on: str) -> bool:
    try:
        return ipaddress.ip_address(served_on).is_loopback
    except ValueError:
        return served_on == "localhost"


@contextmanager
def guarding(served_on: str) -> Iterator[None]:
    """A viser server that is opened within answers only what `find_objection` has nothing against."""
    import websockets.asyncio.server as server
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    serve = server.serve

    def serve_guarded(*arguments: Any, process_request: Answer | None = None, **options: Any) -> Any:
        def answer(connection: Any, request: Any) -> Any:
            objection = find_objection(request.headers, served_on)
            if objection:
                status = http.HTTPStatus.FORBIDDEN
                return Response(status.value, status.phrase, Headers(), f"{objection}\n".encode())
            return process_request(connection, request) if process_request is not None else None

        return serve(*arguments, process_request=answer, **options)

    server.serve = serve_guarded  # type: ignore[assignment,misc]
    try:
        yield
    finally:
        server.serve = serve  # type: ignore[misc]
