import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'vitest';
import { type OutputName, outputs } from '../../src/cli/outputs.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);

/** What a command printed with `-o json`, once it fits the schema that is published for it. */
export function published(name: OutputName, stdout: string) {
  const data = JSON.parse(stdout);
  const validate = ajv.compile(JSON.parse(JSON.stringify(outputs[name])));
  validate(data);
  expect(validate.errors ?? [], `${name}: ${stdout}`).toEqual([]);
  return data;
}
