import { GleitzeitError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { didYouMean } from '../../core/suggest.ts';
import { version } from '../../main/version.ts';
import { cleanText } from '../output/clean.ts';
import type { Invocation } from '../spec.ts';

/** What can be asked for; the code behind each is loaded when it is. */
const schemas: Readonly<Record<string, (call: Invocation) => Promise<JsonObject>>> = {
  workflow: async () => (await import('../../files/workflow/published.ts')).workflowFileSchema,
  config: async () => (await import('../../config/published.ts')).configFileSchema,
  event: async () => (await import('../../api/published.ts')).eventSchema,
  openrpc: async () =>
    (await import('../../api/openrpc.ts')).openRpcDocument({
      version: version(),
      url: 'http://127.0.0.1:8000/rpc',
    }),
  output: outputSchema,
};

/** Prints a schema, for editors and programs. */
export async function schema(call: Invocation): Promise<void> {
  const [what = ''] = call.arguments;
  const make = Object.hasOwn(schemas, what) ? schemas[what] : undefined;
  if (make === undefined) {
    throw new GleitzeitError('GLZ1012', `there is no schema "${what}"`, {
      field: 'what',
      hint: didYouMean(what, Object.keys(schemas), 'schemas'),
    });
  }
  const found = await make(call);
  const text = `${JSON.stringify(found, null, 2)}\n`;
  await call.io.emit(found, { table: () => cleanText(text), names: [what] });
}

/** What `-o json` of a command prints; of all of them without a name. */
async function outputSchema({ arguments: [, name], specs }: Invocation): Promise<JsonObject> {
  const { outputSchemas } = await import('../output-schemas.ts');
  const whole = JSON.parse(outputSchemas()) as JsonObject;
  if (name === undefined) return whole;
  const printing = specs.filter(({ output }) => output !== null);
  const found = printing.find((spec) => spec.name === name);
  if (found !== undefined) {
    const { description: _, ...rest } = whole;
    return { ...rest, title: `gleitzeit ${name} -o json`, $ref: `#/$defs/${found.output}` };
  }
  throw new GleitzeitError('GLZ1012', `the command "${name}" prints no data`, {
    field: 'name',
    hint: didYouMean(
      name,
      printing.map((spec) => spec.name),
      'commands',
    ),
  });
}
