import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { parseProtocol } from '../../core/protocol.ts';
import { createProtocols } from '../protocols.ts';
import { importProtocol } from './index.ts';

const nothing = { name: null, url: null };

/** What the entry says tasks can call, held against everything a protocol has to be. */
function definitionOf(entry: JsonObject) {
  const { providers: _, ...written } = entry;
  const definition = parseProtocol(written);
  createProtocols().register(definition);
  return definition;
}

const petstore = {
  openapi: '3.0.3',
  info: { title: 'Pet Store', version: '1.4.0', description: 'Pets.' },
  servers: [{ url: 'https://{place}.example.org/api/', variables: { place: { default: 'eu' } } }],
  security: [{ key: [] }],
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
    parameters: { limit: { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } } },
    schemas: {
      Pet: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'integer' },
          name: { type: 'string', nullable: true, example: 'Rex' },
          parent: { $ref: '#/components/schemas/Pet' },
          weight: { type: 'number', minimum: 0, exclusiveMinimum: true },
          code: { type: 'string', pattern: '^(?=a).*' },
        },
      },
    },
  },
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        summary: 'All of them',
        parameters: [
          { $ref: '#/components/parameters/limit' },
          { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
        ],
        responses: {
          '200': {
            content: {
              'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Pet' } } },
            },
          },
        },
      },
      post: {
        operationId: 'add pet!',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
        },
        responses: {
          '201': { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
        },
      },
    },
    '/pets/{petId}': {
      parameters: [{ name: 'petId', in: 'path', required: true, schema: { type: 'string' } }],
      delete: { responses: { '204': { description: 'gone' } } },
      get: { operationId: 'photo', responses: { '200': { content: { 'image/png': {} } } } },
    },
  },
};

describe('an OpenAPI document', () => {
  const { entry, notes } = importProtocol(petstore, null, nothing);

  it('is a protocol with its methods, schemas written out', () => {
    const { name, methods } = definitionOf(entry);
    expect(name).toBe('pet-store/v1');
    expect(Object.keys(methods)).toEqual(['listPets', 'add_pet_', 'photo', 'delete/pets/petId']);
    expect(methods['listPets']).toMatchObject({
      idempotent: true,
      params: { properties: { limit: { type: 'integer', maximum: 100 } } },
      returns: {
        items: { properties: { name: { type: ['string', 'null'] }, weight: { exclusiveMinimum: 0 } } },
      },
    });
    expect(methods['add_pet_']).toMatchObject({ idempotent: false, params: { required: ['body'] } });
  });

  it('is a mapping of them to requests', () => {
    expect(entry['providers']).toEqual([
      {
        type: 'rest',
        config: {
          url: 'https://eu.example.org/api',
          auth: { type: 'api_key', header: 'X-Key', value: '${secrets.key}' },
          methods: {
            listPets: {
              method: 'GET',
              path: '/pets',
              query: { limit: '${params.limit}' },
              headers: { 'X-Trace': '${params["X-Trace"]}' },
            },
            add_pet_: { method: 'POST', path: '/pets', body: '${params.body}' },
            photo: { method: 'GET', path: '/pets/${params.petId}', answer: 'binary' },
            'delete/pets/petId': { method: 'DELETE', path: '/pets/${params.petId}', answer: 'none' },
          },
        },
      },
    ]);
    expect(notes.join()).toContain('${secrets.key}');
  });

  it.each([{ swagger: '2.0' }, { openapi: '2.1' }])('of another generation is refused: %j', (document) => {
    expect(() => importProtocol(document, null, nothing)).toThrow(/OpenAPI 2/);
  });
});

describe('an OpenRPC document', () => {
  it('is a protocol of its methods, under names that tasks can call', () => {
    const document = {
      openrpc: '1.3.2',
      info: { title: 'Sums', version: '2.0.0' },
      servers: [{ url: 'http://sums.example/rpc' }],
      methods: [
        {
          name: 'sum',
          params: [
            { name: 'a', required: true, schema: { type: 'number' } },
            { $ref: '#/components/contentDescriptors/b' },
          ],
          result: { name: 'total', schema: { $ref: '#/components/schemas/Total' } },
        },
        { name: '$/old', params: [], paramStructure: 'by-position' },
      ],
      components: {
        contentDescriptors: { b: { name: 'b', schema: { type: 'number' } } },
        schemas: { Total: { type: 'number' } },
      },
    };
    const { entry, notes } = importProtocol(document, null, nothing);
    expect(definitionOf(entry)).toMatchObject({
      name: 'sums/v2',
      methods: {
        sum: {
          params: { required: ['a'], properties: { b: { type: 'number' } } },
          returns: { type: 'number' },
        },
      },
    });
    expect(entry['providers']).toEqual([
      { type: 'jsonrpc-http', config: { url: 'http://sums.example/rpc', methods: { old: '$/old' } } },
    ]);
    expect(notes).toEqual([expect.stringContaining('by position')]);
  });
});

describe('a list of tools', () => {
  it('is a protocol with a method for each, also as an answer of JSON-RPC', () => {
    const tools = [
      {
        name: 'add',
        description: 'Adds.',
        inputSchema: {
          type: 'object',
          properties: { a: { $ref: '#/$defs/N' } },
          $defs: { N: { type: 'number' } },
        },
        outputSchema: { type: 'object', properties: { sum: { type: 'number' } } },
        annotations: { readOnlyHint: true },
      },
      { name: '2nd tool', inputSchema: { type: 'object' } },
      // Without a word about it, this would be a method of MCP itself.
      { name: 'ping', inputSchema: { type: 'object' } },
    ];
    const { entry } = importProtocol({ jsonrpc: '2.0', id: 1, result: { tools } }, null, {
      name: 'sums/v1',
      url: 'http://127.0.0.1/mcp',
    });
    expect(definitionOf(entry).methods).toMatchObject({
      add: { idempotent: true, params: { properties: { a: { type: 'number' } } } },
      nd_tool: { idempotent: false },
    });
    expect(entry['providers']).toEqual([
      {
        type: 'mcp-http',
        config: { url: 'http://127.0.0.1/mcp', tools: { nd_tool: '2nd tool', ping: 'ping' } },
      },
    ]);
  });
});

describe('any document', () => {
  it.each([null, 1, [], {}, { paths: {} }])('%j is refused in words', (document) => {
    expect(() => importProtocol(document, null, nothing)).toThrow(
      expect.objectContaining({ code: 'GLZ1008' }),
    );
  });

  it('whatever is in it ends in a protocol or in words of ours', () => {
    const broken = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constant(petstore.components),
        fc.constantFrom('#/components/schemas/Pet', '#/paths', 'x', '', null, 1, true),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom(
            'paths',
            '/a/{b}',
            'get',
            'parameters',
            'name',
            'in',
            'schema',
            '$ref',
            'content',
            'methods',
            'tools',
            'types',
            'fields',
          ),
          tie('value'),
          { maxKeys: 4 },
        ),
      ),
    })).value;
    fc.assert(
      fc.property(broken, fc.constantFrom('openapi', 'openrpc', 'mcp', 'graphql'), (inside, kind) => {
        const document = { openapi: '3.1.0', components: petstore.components, ...(inside as object) };
        try {
          const { entry } = importProtocol(document, kind as 'openapi', nothing);
          definitionOf(entry);
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'GLZ1008' });
        }
      }),
    );
  });
});
