import { GleitzeitError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Problem, problemsOf } from '../../files/problems.ts';
import { version } from '../../main/version.ts';
import type { ExitName } from '../exits.ts';
import { paint } from '../output/paint.ts';
import type { View } from '../output/table.ts';
import { sarifLog } from '../sarif.ts';
import type { Invocation } from '../spec.ts';
import { problemsText } from '../views/problems.ts';
import { readWorkflowAt, shownName, strictProtocols, surroundingsOf } from '../workflow-file.ts';

const UNCHECKED =
  'no protocols are known here, so calls and references to results were not checked; --config names where they are';

/** A file can be all wrong: this many mistakes are looked for. */
const MOST_FOUND = 100;

type Checked = {
  readonly file: string;
  readonly valid: boolean;
  readonly tasks: number | null;
  readonly problems: readonly Problem[];
};

/** Says everything that is wrong with workflow files, before anything runs. */
export async function validate(call: Invocation): Promise<ExitName | undefined> {
  const { io, flags } = call;
  const strict = flags.is('strict');
  const files: Checked[] = [];
  for (const named of call.arguments) {
    const { checked, config } = await check(call, named, strict);
    // A configuration that several files stand on is told of once.
    if (config !== null && !files.some(({ file }) => file === config.file)) files.push(config);
    files.push(checked);
  }
  if (io.format === 'sarif') {
    const log = sarifLog(
      files.flatMap(({ problems }) => problems),
      version(),
    );
    io.stdout.write(`${JSON.stringify(log, null, 2)}\n`);
  } else {
    const names = files.map(({ file }) => file);
    const shown = files.map(shownFile);
    await io.emit(io.format === 'jsonl' ? shown : { files: shown }, {
      table: (view) => textOf(files, view),
      names,
    });
  }
  return files.every(({ valid }) => valid) ? undefined : 'findings';
}

async function check(call: Invocation, named: string, strict: boolean) {
  const file = shownName(named);
  const around = await surroundingsOf(call, named);
  const { config } = around;
  const protocols = await strictProtocols(around);
  if (protocols === undefined) call.io.say(`${file}: ${UNCHECKED}`);
  const wrong = config?.problems ?? [];
  const judged = (problems: readonly Problem[], tasks: number | null): Checked => {
    const valid = !problems.some(({ severity }) => strict || severity === 'error');
    return { file, valid, tasks, problems };
  };
  let checked: Checked;
  try {
    const { notes, workflow } = await readWorkflowAt(call, named, protocols);
    checked = judged(notes, tasksOf(workflow));
  } catch (thrown) {
    const problems = [...problemsOf(thrown)];
    if (problems.length === 0) {
      // The others are still to be heard of; where it is the only one, the command has nothing to do.
      if (call.arguments.length === 1 || !isUnreadable(thrown)) throw thrown;
      problems.push(unreadable(file, thrown));
    }
    checked = judged(problems, null);
  }
  const broken = { file: config?.file ?? '', valid: false, tasks: null, problems: wrong };
  return { checked, config: wrong.length > 0 ? broken : null };
}

function isUnreadable(thrown: unknown): thrown is GleitzeitError {
  return thrown instanceof GleitzeitError && thrown.details.field === 'file';
}

/** A file that is not there, as a problem of that file. */
function unreadable(file: string, { code, details }: GleitzeitError): Problem {
  const { reason = '', hint = null } = details;
  const nowhere = { path: '', line: 0, column: 0, found: null, expected: null, excerpt: null };
  return { ...nowhere, severity: 'error', file, message: `cannot be read: ${reason}`, hint, code };
}

function tasksOf({ tasks }: JsonObject): number {
  return Array.isArray(tasks) ? tasks.length : 0;
}

function shownFile({ file, valid, problems }: Checked) {
  return { file, valid, problems: problems.map(shownProblem), truncated: isTruncated(problems) };
}

function isTruncated(problems: readonly Problem[]): boolean {
  return errorsOf(problems) >= MOST_FOUND;
}

function errorsOf(problems: readonly Problem[]): number {
  return problems.filter(({ severity }) => severity === 'error').length;
}

/** As programs read it: the length instead of the line itself. */
function shownProblem({ excerpt, file: _, ...problem }: Problem) {
  return { ...problem, length: excerpt?.length ?? null };
}

function textOf(files: readonly Checked[], view: View): string {
  return files
    .map(({ file, valid, tasks, problems }) => {
      const errors = errorsOf(problems);
      const counts = [count(errors, 'error'), count(problems.length - errors, 'note')].filter(
        (text) => text !== '',
      );
      const size = tasks === null ? '' : `, ${count(tasks, 'task')}`;
      const more = isTruncated(problems) ? ', and there may be more' : '';
      const said = counts.length === 0 ? '' : `, ${counts.join(', ')}${more}`;
      const word = paint(view.colour, valid ? 'green' : 'red', valid ? 'valid' : 'not valid');
      return `${problemsText(problems, view)}${file}: ${word}${size}${said}\n`;
    })
    .join('');
}

function count(number: number, of: string): string {
  return number === 0 ? '' : `${number} ${of}${number === 1 ? '' : 's'}`;
}
