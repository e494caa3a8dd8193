"""The errors of JSON-RPC and of A2A: their codes, and the words that 1.0 has for them."""


class RpcError(Exception):
    def __init__(self, code, reason, message):
        super().__init__(message)
        self.code = code
        self.reason = reason


def invalid_request(why):
    return RpcError(-32600, "INVALID_REQUEST", "Invalid Request: " + why)


def invalid_params(why):
    return RpcError(-32602, "INVALID_PARAMS", "Invalid params: " + why)


def internal(message):
    return RpcError(-32603, "INTERNAL_ERROR", message)


def unsupported(why):
    return RpcError(-32004, "UNSUPPORTED_OPERATION", why)
