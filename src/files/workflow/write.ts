import { isObject, type Json } from '../../core/json.ts';
import { type Path, showPath } from '../path.ts';
import type { BatchFile } from './batch.ts';
import { expressionAround, headEnd, type Splice, splice } from './operand.ts';
import type { FileField, ReferenceText } from './texts.ts';

export type TextsByPlace = ReadonlyMap<string, ReferenceText>;

export function byPlace(texts: readonly ReferenceText[]): TextsByPlace {
  return new Map(texts.map((text) => [showPath(text.at), text]));
}

/** A value with its references in today's words, and those to the file of a batch filled in. */
export function writeTexts(value: Json, at: Path, texts: TextsByPlace, file: BatchFile | null): Json {
  if (typeof value === 'string') {
    const text = value.includes('${') ? texts.get(showPath(at)) : undefined;
    return text === undefined ? value : writeText(text, file);
  }
  if (Array.isArray(value)) return value.map((item: Json, i) => writeTexts(item, [...at, i], texts, file));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, writeTexts(item, [...at, key], texts, file)]),
  );
}

function writeText({ text, parts }: ReferenceText, file: BatchFile | null): string {
  const splices: Splice[] = [];
  for (const part of parts) {
    if (typeof part === 'string') continue;
    for (const use of part) {
      if (use.kind === 'file' && file !== null) {
        splices.push(fileSplice(text, expressionAround(text, use.operand), fieldOf(file, use.field)));
        break;
      }
      const [first] = use.kind === 'task' ? use.operand.path : [];
      if (use.kind !== 'task' || first === 'result' || first === 'output') continue;
      const end = headEnd(text, use.operand);
      splices.push({ from: end, to: end, put: '.result' });
    }
  }
  return splice(text, splices);
}

/** The name of a file may look like a reference, alone or together with what stands around it. */
function fileSplice(text: string, [from, to]: readonly [number, number], name: string): Splice {
  const before = text[from - 1] === '$' && name.startsWith('{') ? '$' : '';
  const after = text[to] === '{' && name.endsWith('$') ? '$' : '';
  return { from, to, put: before + name.replaceAll('${', () => '$${') + after };
}

function fieldOf({ path, full }: BatchFile, field: FileField): string {
  if (field === 'path') return full;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return field === 'name' ? name : name.replace(/(?!^)\.[^.]*$/, '');
}
