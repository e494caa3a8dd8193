import { describe, expect, it } from 'vitest';
import type { NewAgent } from '../agent.ts';
import { Memory } from '../testing/memory.suite.ts';
import type { WriteOf } from '../writes.ts';

const agent: NewAgent = {
  id: 'i1',
  name: 'Writer',
  url: 'http://writer:8080',
  description: null,
  protocol: 'simple-a2a',
  protocol_config: '{}',
  settings: '{}',
};

function put(fields: Partial<NewAgent> = {}, expect: number | null = null): WriteOf<'put_agent'> {
  return { kind: 'put_agent', agent: { ...agent, ...fields }, expect };
}

function remove(expect: number | null, name = agent.name): WriteOf<'delete_agent'> {
  return { kind: 'delete_agent', name, expect };
}

describe('agents', () => {
  it('keep their id and the time of their creation, and count their versions', () => {
    const memory = new Memory();
    const first = { id: 'i1', version: 1, created_at: 1_000_000, updated_at: 1_000_000 };
    expect(memory.write(put({}, 0))).toEqual(first);
    memory.now += 5;
    const second = { ...first, version: 2, updated_at: 1_000_005 };
    expect(memory.write(put({ id: 'i2', protocol: 'jsonrpc-2.0' }, 1))).toEqual(second);
    expect(memory.agents.get('Writer')).toEqual({ ...agent, protocol: 'jsonrpc-2.0', ...second });
  });

  it('are not overwritten or removed by who saw another version', () => {
    const memory = new Memory();
    memory.write(put());
    for (const write of [put({}, 0), put({}, 2), remove(2)]) {
      const { verdicts, changes } = memory.commit(write);
      expect(verdicts).toMatchObject([{ ok: false, error: { data: { error_code: 'GLZ1013' } } }]);
      expect(changes.agents).toEqual([]);
      expect(changes.goneAgents).toEqual([]);
    }
    expect(memory.commit(remove(3)).verdicts).toMatchObject([
      { error: { message: 'the agent Writer is at version 1, not 3' } },
    ]);
  });

  it('go, and one that comes back under the name is another', () => {
    const memory = new Memory();
    expect(memory.write(remove(null))).toEqual({ deleted: false });
    memory.write(put());
    const { verdicts, changes } = memory.commit(
      remove(1),
      remove(0),
      put({ id: 'i2' }, 0),
      put({ name: 'B' }),
    );
    expect(verdicts.map((verdict) => (verdict.ok ? verdict.answer : null))).toMatchObject([
      { deleted: true },
      { deleted: false },
      { id: 'i2', version: 1 },
      { version: 1 },
    ]);
    expect(changes.agents.map(({ name }) => name)).toEqual(['Writer', 'B']);
    expect(memory.commit(remove(null, 'B')).changes.goneAgents).toEqual(['B']);
    expect([...memory.agents.keys()]).toEqual(['Writer']);
  });
});
