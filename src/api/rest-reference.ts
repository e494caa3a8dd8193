import type { JsonObject } from '../core/json.ts';
import { type Components, hoist, titleOf } from './components.ts';
import type { Method } from './method.ts';
import { methods } from './methods.ts';
import { otherParams } from './openapi.ts';
import { fieldTable, typeText } from './reference-types.ts';
import { OPENAPI_PATH, REST_PATH, type RestOperation, restOperations } from './rest.ts';

const intro = `# The REST API

Made from the tables in \`src/api\`. Each request is a [method of the JSON-RPC API](json-rpc.md): the same checks, roles, results and
errors, in other clothes. [How to use it](../how-to/rest-api.md) shows it with curl. \`GET ${REST_PATH}${OPENAPI_PATH}\` has all of this as an
OpenAPI 3.1 document.

- **Key**: \`Authorization: Bearer <key>\`, as on \`/rpc\`. Without keys a server on loopback treats everybody as \`admin\`.
- **Params**: in the path, percent-encoded (\`/agents/My%20Agent\`); in the query of \`GET\` and \`DELETE\`; in the JSON body of \`POST\`, \`PUT\` and
  \`PATCH\`, whose \`Content-Type\` is \`application/json\`. A request that needs nothing may come without a body. A list in a query is the
  same key several times, or words with commas: \`status=failed,cancelled\`. What is unknown is refused with the nearest known name.
- **Key against sending it twice**: the header \`Idempotency-Key\`, or \`idempotency_key\` in the body, where the request takes one.
- **Pages**: lists answer with \`items\` and \`next_cursor\`, which is the \`cursor\` of the next page.
- **Created**: 201, and \`Location\` is where it is.

## Statuses

| status | when |
| --- | --- |
| 200, 201, 204 | it was done; 204 has no body |
| 400 | the body is no JSON, or something in the request is not as it should be: \`data.field\` says what |
| 401 | no key, or none that is known |
| 403 | the key has too small a role, or a page of another origin asked, or it was asked for by a foreign name |
| 404 | there is nothing of that name, or nothing at that path |
| 405 | not with this HTTP method; \`Allow\` has those that are possible |
| 409 | it does not go with how things are: a name that is taken, a run that is over, a version that is no longer the newest |
| 413 | the body is too large |
| 415 | the body is no \`application/json\`, or it is compressed |
| 429, 503 | too much at once, or the server is stopping, or its store is not there; \`Retry-After\` says when to try again |
| 502, 504 | a service that had to be asked did not answer as it should, or not in time |
| 500 | a mistake of the server, of which its log says more |

Every error has the body \`{"error": {"code", "message", "data"}}\`: the [Error](json-rpc.md#error) that JSON-RPC answers with.
[errors.md](errors.md) says of each code what it means and what to do.
`;

/** The reference page, as text. */
export function restReferencePage(): string {
  const found: Components = new Map();
  const resources = Map.groupBy(restOperations, ({ path }) => path.split('/')[1] ?? '');
  const chapters = [...resources].map(
    ([name, operations]) => `## ${name}\n\n${operations.map((one) => operationText(one, found)).join('\n')}`,
  );
  return [intro, ...chapters].join('\n');
}

function operationText(operation: RestOperation, found: Components): string {
  const { http, path, body } = operation;
  const method: Method = methods[operation.method];
  const { properties, required } = otherParams(operation, method);
  const whole = body === undefined ? undefined : (properties[body] as JsonObject);
  const params = hoist({ type: 'object', properties, required: [...required] }, found);
  const lines = whole === undefined ? fieldTable(params) : [typeText(hoist(whole, found))];
  const place = http === 'GET' || http === 'DELETE' ? 'Query' : 'Body';
  return [
    `### ${http} ${REST_PATH}${path}`,
    '',
    `${operation.summary ?? method.summary}. Role: \`${method.role}\`. Method: [${operation.method}](json-rpc.md#${anchor(operation.method)}).`,
    '',
    ...(lines.length === 0 ? [] : [`${place}:`, '', ...lines.map(elsewhere), '']),
    answerText(operation, hoist(method.result, found)),
    '',
  ].join('\n');
}

function answerText({ status, location }: RestOperation, result: JsonObject): string {
  if (status === 204) return 'Answer: 204.';
  const where = location === undefined ? '' : `, \`Location: ${REST_PATH}${location}\``;
  const what = titleOf(result) === null ? 'the result of the method' : elsewhere(typeText(result));
  return `Answer: ${status}${where}, ${what}.`;
}

/** Shapes are told of on the page of the methods. */
function elsewhere(line: string): string {
  return line.replaceAll('](#', '](json-rpc.md#');
}

function anchor(method: string): string {
  return method.toLowerCase().replaceAll('.', '');
}
