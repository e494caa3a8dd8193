import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { titleOf } from './components.ts';

/** A schema in a few words, for a cell of a table. Shapes that have a title are linked. */
export function typeText(schema: Json | undefined): string {
  if (!isObject(schema)) return 'any';
  const title = titleOf(schema);
  if (title !== null) return `[${title}](#${title.toLowerCase()})`;
  const { enum: list, anyOf, type } = schema;
  if (Array.isArray(list)) return list.map((word) => `\`${word}\``).join(', ');
  if (Array.isArray(anyOf)) return anyOf.map(typeText).join(' or ');
  if (Array.isArray(type)) return type.map((one) => typeText({ ...schema, type: one })).join(' or ');
  if (type === 'array') return `list of ${typeText(schema['items'])}`;
  if (type === 'object') return objectText(schema);
  if (type === 'string') return schema['format'] === 'date-time' ? 'time' : 'text';
  if (type === 'integer' || type === 'number') return `${type}${rangeText(schema)}`;
  return typeof type === 'string' ? type : 'any';
}

function objectText({ properties, patternProperties }: JsonObject): string {
  if (isObject(patternProperties)) return `map of ${typeText(Object.values(patternProperties)[0])}`;
  if (!isObject(properties)) return 'object';
  return `{ ${Object.keys(properties)
    .map((key) => `\`${key}\``)
    .join(', ')} }`;
}

function rangeText({ minimum, maximum }: JsonObject): string {
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (minimum !== undefined && most !== undefined) return ` from ${minimum} to ${most}`;
  if (minimum !== undefined) return ` from ${minimum}`;
  return most === undefined ? '' : ` up to ${most}`;
}

/** The fields of an object as rows of a table. */
export function fieldTable(schema: JsonObject): string[] {
  const { properties, required } = schema;
  if (!isObject(properties) || Object.keys(properties).length === 0) return [];
  const needed = Array.isArray(required) ? required : [];
  const rows = Object.entries(properties).map(([name, field]) => {
    const cells = [`\`${name}\`${needed.includes(name) ? '' : '?'}`, typeText(field), meaning(field)];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| field | type | meaning |', '| --- | --- | --- |', ...rows];
}

function meaning(field: Json): string {
  if (!isObject(field)) return '';
  const { description, default: fallback } = field;
  const shown = fallback === undefined ? '' : `default \`${JSON.stringify(fallback)}\``;
  return [description, shown].filter((text) => typeof text === 'string' && text !== '').join('; ');
}
