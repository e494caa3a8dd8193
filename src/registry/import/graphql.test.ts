import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { parseProtocol } from '../../core/protocol.ts';
import { createProtocols } from '../protocols.ts';
import { importProtocol } from './index.ts';

/** What the entry says tasks can call, held against everything a protocol has to be. */
function definitionOf(entry: JsonObject) {
  const { providers: _, ...written } = entry;
  const definition = parseProtocol(written);
  createProtocols().register(definition);
  return definition;
}

describe('an introspection', () => {
  const named = (name: string, kind = 'SCALAR') => ({ kind, name, ofType: null });
  const must = (ofType: object) => ({ kind: 'NON_NULL', name: null, ofType });
  const schema = {
    queryType: { name: 'Query' },
    mutationType: null,
    types: [
      {
        kind: 'OBJECT',
        name: 'Query',
        fields: [
          {
            name: 'user',
            args: [
              { name: 'id', type: must(named('ID')), defaultValue: null },
              { name: 'role', type: named('Role', 'ENUM'), defaultValue: null },
            ],
            type: named('User', 'OBJECT'),
          },
        ],
      },
      {
        kind: 'OBJECT',
        name: 'User',
        fields: [
          { name: 'name', args: [], type: named('String') },
          { name: 'friends', args: [], type: { kind: 'LIST', name: null, ofType: named('User', 'OBJECT') } },
        ],
      },
      { kind: 'ENUM', name: 'Role', enumValues: [{ name: 'ADMIN' }] },
      { kind: 'SCALAR', name: 'String' },
      { kind: 'SCALAR', name: 'ID' },
    ],
  };

  it('is a protocol with a document for each field', () => {
    const { entry } = importProtocol({ data: { __schema: schema } }, null, { name: 'people/v1', url: null });
    expect(definitionOf(entry).methods).toMatchObject({
      user: { params: { required: ['id'], properties: { role: { enum: ['ADMIN'] } } } },
    });
    expect(entry['providers']).toMatchObject([
      {
        config: {
          methods: {
            user: {
              document:
                'query user($id: ID!, $role: Role) { user(id: $id, role: $role) { name friends { name } } }',
              result: '/user',
            },
          },
        },
      },
    ]);
  });

  it('is bounded where every input reaches every other', () => {
    const names = Array.from({ length: 30 }, (_, index) => `By${index}`);
    const inputFields = names.map((name) => ({ name, type: named(name, 'INPUT_OBJECT') }));
    const inputs = names.map((name) => ({ kind: 'INPUT_OBJECT', name, inputFields }));
    const args = [{ name: 'where', type: named('By0', 'INPUT_OBJECT'), defaultValue: null }];
    const query = { kind: 'OBJECT', name: 'Query', fields: [{ name: 'find', args, type: named('String') }] };
    const document = { __schema: { queryType: { name: 'Query' }, types: [query, ...inputs] } };
    const { entry } = importProtocol(document, null, { name: 'people/v1', url: null });
    expect(definitionOf(entry).methods['find']?.params).toMatchObject({
      properties: { where: { properties: { By0: true, By1: { properties: { By0: true, By1: true } } } } },
    });
    expect(JSON.stringify(entry).length).toBeLessThan(100_000);
  });
});
