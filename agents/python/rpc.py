"""JSON-RPC itself: requests, batches and errors."""

import re
import traceback
from concurrent.futures import ThreadPoolExecutor

from a2a import METHODS
from errors import RpcError, internal, invalid_params, invalid_request, unsupported
from tasks import Busy, changed
from wires import WIRES

LONGEST_BATCH = 100


def version_of(header, method):
    """The header decides; where there is none, the name of the method does."""
    if re.fullmatch(r"0\.3(\.[0-9]+)?", header):
        return "0.3"
    if re.fullmatch(r"1\.0(\.[0-9]+)?", header):
        return "1.0"  # a patch does not change the wire
    if header != "":
        raise RpcError(-32009, "VERSION_NOT_SUPPORTED", "This agent speaks A2A-Version 0.3 and 1.0")
    return "1.0" if method in METHODS["1.0"] else "0.3"


def call(body, version):
    """Answers a request or a batch: with a value, or with an iterator of values to stream."""
    if not isinstance(body, list):
        return call_one(body, version)
    if not body or len(body) > LONGEST_BATCH:
        return failure(None, invalid_request("a batch has 1 to %d requests" % LONGEST_BATCH))
    with ThreadPoolExecutor(8) as at_once:
        return list(at_once.map(lambda request: call_in_batch(request, version), body))


def call_in_batch(request, version):
    answer = call_one(request, version)
    if isinstance(answer, dict):
        return answer
    return failure(request.get("id"), unsupported("A stream cannot be part of a batch"))


def call_one(request, header):
    # A2A has no notifications: what comes without an id is answered too, with null for it.
    given = request.get("id") if isinstance(request, dict) else None
    request_id = given if is_id(given) else None
    wire = WIRES["0.3" if header == "" or header.startswith("0") else "1.0"]
    try:
        method, params = read_request(request)
        version = version_of(header, method)
        wire = WIRES[version]
        if method not in METHODS[version]:
            raise RpcError(-32601, "METHOD_NOT_FOUND", "Method not found: " + method)
        if not isinstance(params, dict):
            raise invalid_params("they must be an object")
        with changed:
            result = METHODS[version][method](params, wire)
        return success(request_id, result) if isinstance(result, dict) else successes(request_id, result)
    except RpcError as error:
        return failure(request_id, error, wire)
    except Busy as error:
        return failure(request_id, internal(str(error)), wire)
    except Exception:
        traceback.print_exc()
        return failure(request_id, internal("Internal error"), wire)


def is_id(value):
    # True is a number to Python, and none to JSON.
    return value is None or isinstance(value, (str, int, float)) and not isinstance(value, bool)


def read_request(request):
    if not isinstance(request, dict):
        raise invalid_request("it must be an object")
    if request.get("jsonrpc") != "2.0":
        raise invalid_request('jsonrpc must be "2.0"')
    if not isinstance(request.get("method"), str):
        raise invalid_request("method must be a text")
    if not is_id(request.get("id")):
        raise invalid_request("id must be a text or a number")
    return request["method"], request.get("params", {})


def success(request_id, result):
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def successes(request_id, results):
    for result in results:
        yield None if result is None else success(request_id, result)


def failure(request_id, error, wire=WIRES["0.3"]):
    told = {"code": error.code, "message": str(error), **wire.detail(error.reason)}
    return {"jsonrpc": "2.0", "id": request_id, "error": told}


def parse_error():
    return failure(None, RpcError(-32700, "PARSE_ERROR", "Parse error"))


def internal_error():
    return failure(None, internal("Internal error"))


def wrong_content_type():
    return failure(None, RpcError(-32005, "CONTENT_TYPE_NOT_SUPPORTED", "Send Content-Type: application/json"))
