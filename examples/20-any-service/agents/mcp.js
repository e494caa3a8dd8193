// An MCP server with one tool, whatever carries its messages.
const tool = {
  name: 'count_words',
  description: 'Counts the words of a text',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

function callTool({ name, arguments: { text } }, by) {
  if (name !== tool.name) throw Object.assign(new Error(`no tool ${name}`), { code: -32602 });
  const words = text.split(/\s+/).length;
  return { content: [{ type: 'text', text: `${words} words` }], structuredContent: { words, by } };
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'words', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': callTool,
};

/** Null for messages that want no answer. `by` is told with every result. */
export function answerTo({ id, method, params }, by) {
  if (id === undefined) return null;
  const known = methods[method];
  if (known === undefined)
    return { jsonrpc: '2.0', id, error: { code: -32601, message: `no method ${method}` } };
  try {
    return { jsonrpc: '2.0', id, result: known(params, by) };
  } catch ({ code = -32603, message }) {
    return { jsonrpc: '2.0', id, error: { code, message } };
  }
}
