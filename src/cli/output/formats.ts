import { escapeJson, escapeYaml, isUnsafe } from './clean.ts';
import { itemsOf } from './fields.ts';

/** What `-o` takes everywhere. */
export const formats = ['table', 'json', 'jsonl', 'yaml', 'name', 'none'] as const;

/** One document in one line. */
export function jsonLine(data: unknown): string {
  return `${escapeJson(JSON.stringify(data))}\n`;
}

/** A line for each item of a list; a thing that is no list is one line. */
export function jsonLines(data: unknown): string {
  return itemsOf(data).map(jsonLine).join('');
}

/** What a terminal would obey stands in double quotes, escaped. */
export async function yamlText(data: unknown): Promise<string> {
  const { Document, isScalar, visit } = await import('yaml');
  const document = new Document(JSON.parse(JSON.stringify(data)), { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      if (isScalar(node) && typeof node.value === 'string' && isUnsafe(node.value))
        node.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeYaml(document.toString({ lineWidth: 0 }));
}
