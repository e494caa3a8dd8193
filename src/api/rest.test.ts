import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { schemaCompiler } from '../registry/compile.ts';
import { methods } from './methods.ts';
import { namesIn, openApiDocument } from './openapi.ts';
import { restOperations } from './rest.ts';
import { restReferencePage } from './rest-reference.ts';

const page = join(import.meta.dirname, '..', '..', 'docs', 'reference', 'rest-api.md');
const document = JSON.parse(JSON.stringify(openApiDocument('1.2.3'))) as JsonObject;
const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
const operations = Object.values(paths).flatMap((one) => Object.values(one));

/** Everything in the document, wherever it is. */
function* inside(value: Json): Generator<JsonObject> {
  if (Array.isArray(value)) for (const item of value) yield* inside(item);
  if (!isObject(value)) return;
  yield value;
  for (const item of Object.values(value)) yield* inside(item as Json);
}

describe('the REST table', () => {
  it('names only params that its methods have, and nothing twice', () => {
    const seen = new Set<string>();
    for (const { http, path, method, body, first, replaces = [], defaults = {} } of restOperations) {
      expect(seen.has(`${http} ${path}`), path).toBe(false);
      seen.add(`${http} ${path}`);
      const fields = Object.keys(methods[method].params.properties);
      const named = [
        ...namesIn(path),
        ...replaces,
        ...Object.keys(defaults),
        ...(body === undefined ? [] : [body]),
      ];
      for (const name of named) expect(fields, `${http} ${path}`).toContain(name);
      if (first !== undefined)
        expect(Object.keys(methods[first].params.properties)).toEqual(
          expect.arrayContaining([...namesIn(path)]),
        );
    }
  });

  it('finds what was made: where `Location` leads, something can be read', () => {
    const read = restOperations.filter(({ http }) => http === 'GET').map(({ path }) => path);
    for (const { location } of restOperations) if (location !== undefined) expect(read).toContain(location);
  });
});

describe('the OpenAPI document', () => {
  it('has every request, each under an id of its own', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.2.3' },
      servers: [{ url: '/api/v1' }],
    });
    expect(operations).toHaveLength(restOperations.length);
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z_]+$/);
  });

  it('declares what stands in its paths, and refers to nothing that is not there', () => {
    for (const [path, methodsAt] of Object.entries(paths))
      for (const { parameters } of Object.values(methodsAt)) {
        const declared = (parameters as JsonObject[]).filter((one) => one['in'] === 'path');
        expect(declared.map(({ name }) => name)).toEqual(namesIn(path));
      }
    const { schemas } = document['components'] as { schemas: JsonObject };
    for (const { $ref } of inside(document))
      if (typeof $ref === 'string')
        expect(schemas).toHaveProperty([$ref.replace('#/components/schemas/', '')]);
  });

  it('has schemas that are schemas', () => {
    const { schemas } = document['components'] as { schemas: JsonObject };
    const compile = schemaCompiler();
    const $defs = JSON.parse(
      JSON.stringify(schemas).replaceAll('#/components/schemas/', '#/$defs/'),
    ) as JsonObject;
    for (const name of Object.keys(schemas))
      expect(compile(`/${name}`, { $defs, $ref: `#/$defs/${name}` }).check).toBeTypeOf('function');
  });

  it('says who may, and what the answer is', () => {
    expect(paths['/agents/{name}']?.['delete']).toMatchObject({
      'x-role': 'admin',
      responses: { 204: { description: 'done' } },
    });
    expect(paths['/runs']?.['post']).toMatchObject({
      requestBody: { required: false },
      responses: { 201: { headers: { location: expect.anything() } }, default: expect.anything() },
    });
    expect(paths['/workflows']?.['post']).toMatchObject({
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/WorkflowInput' } } },
      },
    });
  });
});

describe('docs/reference/rest-api.md', () => {
  it('is what the table says; `node scripts/api-reference.ts` writes it', async () => {
    expect(await readFile(page, 'utf8')).toBe(restReferencePage());
  });
});
