import type { Finding, ParsedFile } from '../parsed.ts';
import { valueAt } from '../parsed.ts';
import type { Path } from '../path.ts';
import type { Lost } from '../yaml.ts';

/** Whether a finding only says once more that something could not be read, which was told where that stands. */
export function isConsequence(finding: Finding, { value }: ParsedFile, lost: Lost): boolean {
  const { path, message } = finding;
  if (lost.value.some((one) => same(one, path))) return true;
  if (message.startsWith('there is no task ')) return [...lost.value, ...lost.pair].some(mayNameTasks);
  const isMissing = valueAt(value, path) === undefined;
  return isMissing && lost.pair.some((one) => same(one.slice(0, -1), path.slice(0, -1)));
}

function same(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((step, index) => String(step) === String(b[index]));
}

/** What is lost at the top, or of a task, may have been tasks or the name of one. */
function mayNameTasks([first, second, third, ...more]: Path): boolean {
  if (first !== 'tasks' || second === undefined) return first === 'tasks' || first === '<<';
  return third === undefined || (more.length === 0 && ['id', 'name', '<<'].includes(String(third)));
}
