/** A JSON Schema. Objects are closed: what is not named is an error, as the strict decoder of an API server has it. */
export type Shape = { readonly [key: string]: unknown };
type Members = { readonly [key: string]: Shape };

export const text: Shape = { type: 'string', minLength: 1 };
export const flag: Shape = { type: 'boolean' };
export const count: Shape = { type: 'integer', minimum: 0 };
export const port: Shape = { type: 'integer', minimum: 1, maximum: 65_535 };
/** A name within the cluster, as DNS has it. */
export const name: Shape = { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$' };
export const portName: Shape = { type: 'string', pattern: '^(?=.*[a-z])[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$' };
export const quantity: Shape = {
  type: 'string',
  pattern: '^[0-9]+(\\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$',
};
export const path: Shape = { type: 'string', pattern: '^/' };
export const portOrName: Shape = { anyOf: [port, portName] };

export function closed(required: Members, optional: Members = {}): Shape {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

export function listOf(items: Shape): Shape {
  return { type: 'array', items, minItems: 1 };
}

export function mapOf(values: Shape): Shape {
  return { type: 'object', additionalProperties: values, minProperties: 1 };
}

export function oneOf(...values: readonly (string | number)[]): Shape {
  return { enum: values };
}
