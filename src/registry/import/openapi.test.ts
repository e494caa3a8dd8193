import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../core/json.ts';
import { parseProtocol } from '../../core/protocol.ts';
import { createProtocols } from '../protocols.ts';
import { importProtocol } from './index.ts';

type Mapping = Readonly<Record<string, JsonObject>>;

/** A document as it is found in the world, with these paths and components. */
function imported(paths: JsonObject, components: JsonObject = {}) {
  const document = { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths, components };
  const { entry, notes } = importProtocol(document, null, { name: null, url: 'https://api.example' });
  const { providers, ...written } = entry;
  const protocols = createProtocols();
  const definition = parseProtocol(written);
  protocols.register(definition);
  const [provider] = providers as unknown as readonly [{ readonly config: { readonly methods: Mapping } }];
  return { methods: definition.methods, mapping: provider.config.methods, notes: notes.join('\n') };
}

const ok = { '200': { description: 'fine' } };
const json = (schema: Json) => ({ content: { 'application/json': { schema } } });

describe('schemas of an OpenAPI document allow more than before, never less', () => {
  const bodyBy = (schema: JsonObject, schemas: JsonObject = {}) => {
    const path = { post: { operationId: 'say', requestBody: json(schema), responses: ok } };
    const params = (imported({ '/say': path }, { schemas }).methods['say']?.params ?? {}) as JsonObject;
    return (params['properties'] as JsonObject | undefined)?.['body'];
  };

  it('where several fit that were one of many, or one is inside itself', () => {
    const tree = { oneOf: [{ $ref: '#/components/schemas/Tree' }, { type: 'string' }] };
    expect(bodyBy({ $ref: '#/components/schemas/Tree' }, { Tree: tree })).toEqual({
      anyOf: [true, { type: 'string' }],
    });
    const both = { oneOf: [{ type: 'string' }], anyOf: [{ type: 'number' }] };
    expect(bodyBy(both)).toEqual({ anyOf: [{ type: 'number' }], allOf: [{ anyOf: [{ type: 'string' }] }] });
  });

  it('where something is left out that made room', () => {
    expect(bodyBy({ not: { required: ['a'], dependentRequired: { b: ['c'] } }, type: 'object' })).toEqual({
      type: 'object',
    });
    const patterns = { type: 'object', patternProperties: { '^x-': {} }, additionalProperties: false };
    expect(bodyBy(patterns)).toEqual({ type: 'object' });
    expect(bodyBy({ type: 'array', contains: { const: 1 }, minContains: 0 })).toEqual({ type: 'array' });
  });

  it('where only one side ever sends a member', () => {
    const id = { type: 'string', readOnly: true };
    const password = { type: 'string', writeOnly: true };
    const schema = { type: 'object', required: ['id', 'name', 'password'], properties: { id, password } };
    expect(bodyBy(schema)).toMatchObject({ required: ['name'] });
  });

  it('where null is allowed beside a reference, or named twice', () => {
    const schemas = { Name: { type: 'string' } };
    expect(bodyBy({ $ref: '#/components/schemas/Name', nullable: true }, schemas)).toEqual({
      type: ['string', 'null'],
    });
    expect(bodyBy({ type: 'string', enum: ['a', null], nullable: true })).toEqual({
      type: ['string', 'null'],
      enum: ['a', null],
    });
  });
});

describe('requests of an OpenAPI document', () => {
  it('have every word of their path, described or not, also by references to references', () => {
    const parameters = {
      A: { $ref: '#/components/parameters/B' },
      B: { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
      Round: { $ref: '#/components/parameters/Round' },
    };
    const shared = [{ $ref: '#/components/parameters/A' }, { $ref: '#/components/parameters/Round' }];
    const path = { parameters: shared, get: { operationId: 'one', responses: ok } };
    const { methods, mapping } = imported({ '/a/{id}/{other}': path }, { parameters });
    expect(methods['one']?.params).toMatchObject({
      required: ['id', 'other'],
      properties: { id: { type: 'integer' }, other: { type: 'string' } },
    });
    expect(mapping['one']).toMatchObject({ path: '/a/${params.id}/${params.other}' });
  });

  it('have no headers that are said elsewhere, and no query in their path', () => {
    const header = (name: string) => ({ name, in: 'header', schema: { type: 'string' } });
    const parameters = ['Authorization', 'content-type', 'ACCEPT', 'X-Own'].map(header);
    const path = { get: { operationId: 'one', parameters, responses: ok } };
    const { mapping, notes } = imported({ '/a?kind=b': path });
    expect(mapping['one']).toEqual({
      method: 'GET',
      path: '/a',
      headers: { 'X-Own': '${params["X-Own"]}' },
    });
    expect(notes).toContain('one: what stands behind its path is left out');
  });

  it('say what is written in another form, and what is called elsewhere', () => {
    const list = { type: 'array', items: { type: 'string' } };
    const parameters = [
      { name: 'plain', in: 'query', schema: list },
      { name: 'commas', in: 'query', schema: list, explode: false },
      { name: 'pipes', in: 'query', schema: list, style: 'pipeDelimited' },
      { name: 'deep', in: 'query', schema: { type: 'object' }, style: 'deepObject' },
      { name: 'filter', in: 'query', ...json(list) },
      { name: 'filters', in: 'query', ...json({ type: 'object' }) },
    ];
    const path = {
      servers: [{ url: 'https://other.example' }],
      get: { operationId: 'one', parameters, responses: ok },
    };
    const { notes } = imported({ '/a': path });
    const told = [...notes.matchAll(/the query (\w+) is sent in another form/g)].map(([, name]) => name);
    expect(told).toEqual(['commas', 'pipes', 'deep', 'filter']);
    expect(notes).toContain('one: is called at https://other.example');
  });

  it.each([
    [
      'application/merge-patch+json',
      { headers: { 'content-type': 'application/merge-patch+json' }, body: '${params.body}' },
    ],
    ['*/*', { body: '${params.body}' }],
    ['text/csv', { headers: { 'content-type': 'text/csv' }, text: '${params.body}' }],
    ['application/pdf', { headers: { 'content-type': 'application/pdf' }, binary: '${params.body}' }],
    ['application/x-www-form-urlencoded', { form: { a: '${params.body.a}', b: '${params.body.b}' } }],
    ['multipart/form-data', { multipart: { a: '${params.body.a}', b: '${params.body.b}' } }],
  ])('send a body of %s', (type, expected) => {
    const a = { type: 'object', properties: { a: { type: 'string' } } };
    const schema = { allOf: [a], properties: { b: { type: 'string' } } };
    const requestBody = { content: { [type]: { schema } } };
    const { mapping } = imported({ '/a': { patch: { operationId: 'one', requestBody, responses: ok } } });
    const { method, path, ...rest } = mapping['one'] ?? {};
    expect(rest).toEqual(expected);
    expect([method, path]).toEqual(['PATCH', '/a']);
  });

  it('read JSON where a tool wrote that any type comes back', () => {
    const content = { '*/*': { schema: { type: 'object' } } };
    const path = { get: { operationId: 'one', responses: { '200': { content } } } };
    const { mapping, methods } = imported({ '/a': path });
    expect(mapping['one']).toEqual({ method: 'GET', path: '/a' });
    expect(methods['one']?.returns).toMatchObject({ type: 'object' });
  });
});
