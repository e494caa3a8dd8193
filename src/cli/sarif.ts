import { type ErrorCode, errorCodes } from '../core/error-codes.ts';
import type { JsonObject } from '../core/json.ts';
import { type Problem, sentence } from '../files/problems.ts';

/** Problems as SARIF 2.1.0, which code hosts show beside the lines of a change. */
export function sarifLog(problems: readonly Problem[], version: string): JsonObject {
  const codes = [...new Set(problems.map(({ code }) => code))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'gleitzeit', version, rules: codes.map(ruleOf) } },
        columnKind: 'utf16CodeUnits',
        results: problems.map((problem) => resultOf(problem, codes.indexOf(problem.code))),
      },
    ],
  };
}

function ruleOf(code: ErrorCode): JsonObject {
  const { name } = errorCodes[code];
  const text = name.replaceAll('_', ' ');
  return { id: code, name, shortDescription: { text } };
}

function resultOf(problem: Problem, ruleIndex: number): JsonObject {
  const { code, severity, hint, path, file } = problem;
  const text = `${path === '' ? '' : `${path}: `}${sentence(problem)}${hint === null ? '' : `. ${hint}`}`;
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text },
    locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(file) }, ...regionOf(problem) } }],
  };
}

/** As it counts from where the command was called; a path becomes a URI. */
function uriOf(file: string): string {
  const uri = file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
  return file.startsWith('/') ? `file://${uri}` : uri;
}

/** Of a file that could not be read at all there is no part to show. */
function regionOf({ line, column, excerpt }: Problem): JsonObject {
  if (line === 0) return {};
  const region = { startLine: line, startColumn: column };
  if (excerpt === null) return { region };
  return { region: { ...region, endColumn: column + excerpt.length, snippet: { text: excerpt.text } } };
}
