import { describe, expect, it } from 'vitest';
import { errorCodes } from '../core/error-codes.ts';
import type { Json } from '../core/json.ts';
import { parseProtocol } from '../core/protocol.ts';
import { schemaCompiler } from '../registry/compile.ts';
import { commonErrors } from './method.ts';
import { methodEntries, methods } from './methods.ts';
import { roles } from './roles.ts';

const compile = schemaCompiler();
const trouble = (at: string, schema: object, value: unknown) =>
  compile(at, JSON.parse(JSON.stringify(schema))).check(value as Json);

describe('the method table', () => {
  it('has every method of the API, and who may call it', () => {
    expect(methodEntries.map(([name, { role }]) => `${name} ${role}`)).toMatchInlineSnapshot(`
      [
        "task.submit operator",
        "task.submit_many operator",
        "task.status viewer",
        "task.result viewer",
        "task.list viewer",
        "task.cancel operator",
        "task.retry operator",
        "task.respond operator",
        "workflow.submit operator",
        "workflow.find operator",
        "workflow.status viewer",
        "workflow.results viewer",
        "workflow.list viewer",
        "workflow.cancel operator",
        "workflow.pause operator",
        "workflow.resume operator",
        "workflow.retry operator",
        "workflow.define operator",
        "workflow.definitions viewer",
        "queue.list viewer",
        "queue.stats viewer",
        "queue.pause operator",
        "queue.resume operator",
        "protocol.register admin",
        "protocol.list viewer",
        "protocol.get viewer",
        "protocol.stats viewer",
        "provider.list viewer",
        "provider.status viewer",
        "provider.drain operator",
        "provider.resume operator",
        "provider.test operator",
        "agent.create admin",
        "agent.list viewer",
        "agent.get viewer",
        "agent.update admin",
        "agent.delete admin",
        "agent.ping operator",
        "agent.check operator",
        "agent.discover admin",
        "function.list viewer",
        "event.list viewer",
        "event.subscribe viewer",
        "event.unsubscribe viewer",
        "system.info viewer",
        "rpc.discover viewer",
        "auth.ticket viewer",
      ]
    `);
  });

  it.each(methodEntries)('%s is described in full', (name, method) => {
    expect(name).toMatch(/^[a-z]+\.[a-z_]+$/);
    expect(method.summary).toMatch(/^[A-Z][^.]+[^.]$/);
    expect(roles).toContain(method.role);
    for (const code of method.errors) {
      expect(errorCodes).toHaveProperty(code);
      expect(commonErrors).not.toContain(code);
    }
    expect(new Set(method.errors).size).toBe(method.errors.length);
    expect(method.params).toMatchObject({ type: 'object', additionalProperties: false });
  });

  it.each(methodEntries)('%s has examples that fit its schemas', (name, method) => {
    if (name !== 'rpc.discover') expect(method.examples.length).toBeGreaterThan(0);
    method.examples.forEach(({ params, result }, index) => {
      expect(trouble(`/${name}/${index}/params`, method.params, params)).toBeUndefined();
      expect(trouble(`/${name}/${index}/result`, method.result, result)).toBeUndefined();
    });
  });

  it('has an example of a protocol that can be registered', () => {
    const [example] = methods['protocol.register'].examples;
    expect(parseProtocol(example?.params.protocol).name).toBe('web-search/v1');
  });
});
