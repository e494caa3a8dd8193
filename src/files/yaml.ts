import type { ErrorCode } from '../core/error-codes.ts';
import { MAX_JSON_DEPTH } from '../core/limits.ts';
import { composeYaml, type YamlLimits } from './compose.ts';
import { convertDocument } from './convert.ts';
import { isJsonFile, refuseForeignJson } from './json-syntax.ts';
import type { ParsedFile } from './parsed.ts';
import type { Path } from './path.ts';
import { type Problem, ProblemList, throwProblems } from './problems.ts';
import { createSource, type Source } from './source.ts';

export type { YamlLimits } from './compose.ts';

const MIB = 1024 * 1024;

export const defaultYamlLimits: YamlLimits = {
  size: MIB,
  depth: MAX_JSON_DEPTH,
  tokens: 100_000,
  expanded: 3 * MIB,
};

export type ParseOptions = {
  /** The name people are shown. */
  readonly file: string;
  readonly code: ErrorCode;
  readonly limits?: YamlLimits;
  /** Keys that are refused wherever they stand, `__proto__` besides. */
  readonly refused_keys?: readonly string[];
  /** Whether mistakes are told without the line they are on. */
  readonly hidden?: boolean;
};

/** A file in which single values may be wrong: they are null in it, and pairs that cannot stand are left out. */
export type LenientFile = {
  readonly parsed: ParsedFile;
  readonly problems: readonly Problem[];
  readonly lost: Lost;
};

/** Where something is not as it was meant. */
export type Lost = { readonly value: readonly Path[]; readonly pair: readonly Path[] };

/** A longer text is not kept in memory just in case. */
const SHORT = 64 * 1024;
let last: { readonly text: string; readonly limits: YamlLimits; readonly document: Composed } | null = null;

type Composed = ReturnType<typeof composeYaml>;

/** A command looks at its configuration for one thing after another: it is taken apart once. */
function compose(source: Source, limits: YamlLimits): Composed {
  const { text } = source;
  if (last !== null && last.text === text && last.limits === limits) return last.document;
  const document = composeYaml(source, limits);
  if (text.length <= SHORT) last = { text, limits, document };
  return document;
}

/**
 * The value a text of YAML 1.2 or JSON stands for, and where each part of it stands. Everything that is no JSON, or
 * that a reader would not expect, is refused with its place: a key twice, tags, merge keys, several documents, aliases
 * that blow the file up. A file named .json must be JSON to the letter. Throws nothing but GleitzeitError.
 */
export function parseYaml(content: string | Uint8Array, options: ParseOptions): ParsedFile {
  const { parsed, problems } = parseLenient(content, options);
  if (problems.length > 0) throwProblems(problems);
  return parsed;
}

/** The same, but what is wrong with single values is handed over with the rest, so that more can be said of the file. */
export function parseLenient(content: string | Uint8Array, options: ParseOptions): LenientFile {
  const { file, code, limits = defaultYamlLimits, refused_keys = [], hidden = false } = options;
  const source = createSource(content, { file, code, hidden }, limits.size);
  if (isJsonFile(file)) refuseForeignJson(source);
  const document = compose(source, limits);
  const problems = new ProblemList();
  const refusedKeys = new Set(['__proto__', ...refused_keys]);
  const lost = { value: [] as Path[], pair: [] as Path[] };
  const lose = (path: Path, what: keyof typeof lost) => void lost[what].push(path);
  const parsed = convertDocument(document, { source, limits, problems, refusedKeys, lose });
  return { parsed: { source, ...parsed }, problems: problems.all, lost };
}
