import type { Json } from '../../core/json.ts';
import type { Finding } from '../parsed.ts';
import { type Path, showPath } from '../path.ts';
import { unlikeItems } from './items.ts';
import { canBe, type Kinds, showKinds, withoutNull } from './kinds.ts';
import type { Shape } from './shape.ts';
import type { ReferenceText, Use } from './texts.ts';

/** What is known of the references in params while they are judged. */
export type Judging = {
  /** Texts with references, by where they stand as `showPath` writes it. */
  readonly texts: ReadonlyMap<string, ReferenceText>;
  readonly kindsOf: (use: Use) => Kinds;
  /** What is promised of a reference beyond its kind. */
  readonly shapeOf?: (use: Use) => Shape | undefined;
};

export function textAt(value: Json, at: Path, { texts }: Judging): ReferenceText | undefined {
  return typeof value === 'string' ? texts.get(showPath(at)) : undefined;
}

/** A text with a broken reference has no kind: of it somebody has been told. */
export function isUnread(value: Json, at: Path, judging: Judging): boolean {
  return typeof value === 'string' && value.includes('${') && textAt(value, at, judging) === undefined;
}

/** Operands of a whole reference that can never be what is wanted; one in the middle of a text is text. */
export function misfits(
  { parts }: ReferenceText,
  wanted: Kinds,
  { kindsOf }: Judging,
): readonly (Use | null)[] {
  const [only] = parts;
  if (parts.length !== 1 || typeof only !== 'object') return canBe(new Set(['string']), wanted) ? [] : [null];
  return only.filter((use, i) => {
    const given = kindsOf(use);
    // Null goes on to the next alternative.
    const rest = i < only.length - 1 ? withoutNull(given) : given;
    return rest?.size !== 0 && !canBe(rest, wanted);
  });
}

/** What is wrong with a text that is to be something of these kinds, in the words of its schema. */
export function wrongText(
  text: ReferenceText,
  kinds: Kinds,
  wanted: string,
  judging: Judging,
): readonly Finding[] {
  return misfits(text, kinds, judging).map((use): Finding => {
    const base = { path: text.at, part: 'value', code: 'GLZ1005', expected: wanted } as const;
    if (use === null) {
      const hint = 'a reference keeps its kind only where it is the whole text';
      return { ...base, message: `must be ${wanted}`, found: 'text with a reference in it', hint };
    }
    if (use.kind === 'literal') {
      return { ...base, message: `must be ${wanted}`, found: `the default ${JSON.stringify(use.value)}` };
    }
    const given = showKinds(judging.kindsOf(use));
    if (use.kind !== 'task') return { ...base, message: `must be ${wanted}`, found: given };
    const { start, end } = use.operand;
    const shown = `\${${text.text.slice(start, end)}}`;
    return {
      ...base,
      range: [start, end],
      message: `must be ${wanted}`,
      found: `${given}, which ${shown} is`,
    };
  });
}

/** Whole references to lists of something else than the list that is wanted holds. */
export function wrongItems(text: ReferenceText, shape: Shape, { shapeOf }: Judging): readonly Finding[] {
  const [only] = text.parts;
  if (text.parts.length !== 1 || typeof only !== 'object') return [];
  return only.flatMap((use): Finding[] => {
    const given = use.kind === 'task' ? shapeOf?.(use) : undefined;
    const unlike = given === undefined ? null : unlikeItems(given, shape);
    if (unlike === null || use.kind !== 'task') return [];
    const { start, end } = use.operand;
    const found = `${unlike.given}, which \${${text.text.slice(start, end)}} is`;
    const base = { path: text.at, part: 'value', code: 'GLZ1005', expected: unlike.wanted } as const;
    return [{ ...base, range: [start, end], message: `must be ${unlike.wanted}`, found }];
  });
}
