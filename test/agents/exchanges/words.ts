let messages = 0;
const messageId = () => `message-${++messages}`;

export const rpc = (method: string, params: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
export const sent03 = (text: string, more: object = {}) => ({
  message: {
    kind: 'message',
    messageId: messageId(),
    role: 'user',
    parts: [{ kind: 'text', text }],
    ...more,
  },
});
export const sent10 = (text: string, more: object = {}) => ({
  message: { messageId: messageId(), role: 'ROLE_USER', parts: [{ text }], ...more },
});
export const v1 = { 'A2A-Version': '1.0' };

export const result = (value: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, result: value });
export const error = (code: number, id: unknown = 1) => ({ jsonrpc: '2.0', id, error: { code } });
export const reason = (code: number, word: string) => ({
  error: { code, data: [{ reason: word, domain: 'a2a-protocol.org' }] },
});

export const done03 = (text: string) => ({
  kind: 'task',
  status: { state: 'completed' },
  artifacts: [{ parts: [{ kind: 'text', text }] }],
});
export const done10 = (text: string) => ({
  task: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text }] }] },
});
