import { expect, it } from 'vitest';
import { quiet } from '../rpc/testing/quiet.suite.ts';
import { zoneLine } from './zone-line.ts';

it('a line that nobody used is closed without a carrier, and one whose carrier never came without trouble', async () => {
  const target = { by: 'https', url: 'no address at all', tls: null, key: () => undefined } as const;
  const line = zoneLine({ ...target, max_bytes: 1000 }, quiet.logger);
  await line.close();
  const { signal } = new AbortController();
  await expect(line.ask({ id: 'a', method: 'execute_task', params: {} }, signal)).rejects.toThrow('URL');
  await line.close();
});
