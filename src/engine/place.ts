import { GleitzeitError } from '../core/errors.ts';
import { isObject, type Json } from '../core/json.ts';

/** Input can be all wrong; whoever mends so many sends it again anyway. */
const MAX_TOLD = 20;

/** Every task planned, or an error that says what is wrong with each that cannot be, by its place in the list. */
export function planEach<Task, Planned>(
  tasks: readonly Task[],
  plan: (task: Task) => Planned,
): readonly Planned[] {
  const planned: Planned[] = [];
  const refused: GleitzeitError[] = [];
  for (let index = 0; index < tasks.length && refused.length < MAX_TOLD; index++) {
    try {
      planned.push(plan(tasks[index] as Task));
    } catch (thrown) {
      refused.push(atTask(index, GleitzeitError.from(thrown)));
    }
  }
  const [first, ...others] = refused;
  if (first === undefined) return planned;
  throw others.length === 0 ? first : together(first, others);
}

/** An error of one task among many, with its place. */
function atTask(index: number, error: GleitzeitError): GleitzeitError {
  const { code, message, details } = error;
  const field = under(index, details.field ?? '');
  const problems = problemsOf(details.details).map((problem) => ({
    ...problem,
    index,
    error_code: code,
    field: under(index, String(problem['field'])),
  }));
  const inner = problems.length === 0 ? {} : { details: { problems } };
  return new GleitzeitError(code, `task ${index}: ${message}`, { ...details, field, ...inner }, error);
}

function together(first: GleitzeitError, others: readonly GleitzeitError[]): GleitzeitError {
  const problems = [first, ...others].flatMap(toProblems).slice(0, MAX_TOLD);
  const more = others.length === 1 ? 'one more task' : `${others.length} more tasks`;
  const message = `${first.message} (and ${more})`;
  return new GleitzeitError(first.code, message, { ...first.details, details: { problems } }, first.cause);
}

function toProblems({ code, message, details }: GleitzeitError): Json[] {
  const problems = problemsOf(details.details);
  if (problems.length > 0) return [...problems];
  const { field = '', reason = message, hint } = details;
  const index = Number(field.split('/')[2]);
  return [{ index, error_code: code, field, reason, ...(hint === undefined ? {} : { hint }) }];
}

type Told = { readonly [key: string]: Json };

function problemsOf(details: Json | undefined): readonly Told[] {
  const problems = isObject(details) ? details['problems'] : undefined;
  return Array.isArray(problems) ? problems.filter(isObject) : [];
}

function under(index: number, inTask: string): string {
  return `/tasks/${index}${inTask === '' || inTask.startsWith('/') ? '' : '/'}${inTask}`;
}
