// The errors of JSON-RPC and of A2A: their codes, and the words that 1.0 has for them.

export class RpcError extends Error {
  constructor(code, reason, message) {
    super(message);
    Object.assign(this, { code, reason });
  }
}
export const invalidRequest = (why) => new RpcError(-32600, 'INVALID_REQUEST', `Invalid Request: ${why}`);
export const invalidParams = (why) => new RpcError(-32602, 'INVALID_PARAMS', `Invalid params: ${why}`);
export const internal = (message) => new RpcError(-32603, 'INTERNAL_ERROR', message);
export const unsupported = (why) => new RpcError(-32004, 'UNSUPPORTED_OPERATION', why);

export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
