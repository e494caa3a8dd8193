import type { Carrier } from '../carrier.ts';

/** An execution zone that says what it was told. */
export const echo: Carrier = {
  name: 'echo',
  send: async (body) => {
    const { id, params } = JSON.parse(body) as { id: string; params: { text: string } };
    const result = { status: 'success', response_text: `answer to ${params.text}` };
    return JSON.stringify({ jsonrpc: '2.0', id, result });
  },
  close: async () => {},
};
