export type Tally = { readonly passed: number; readonly failed: number; readonly skipped: number };

type FileResult = { readonly name: string; readonly tally: Tally; readonly failed: boolean };

/** A run that fails without a failed test (coverage, a set-up, an error outside tests) counts as one that failed. */
export function tallyOf(report: unknown, succeeded: boolean): Tally {
  const passed = numberIn(report, 'numPassedTests');
  const failed = numberIn(report, 'numFailedTests');
  const skipped = numberIn(report, 'numPendingTests') + numberIn(report, 'numTodoTests');
  return { passed, failed: succeeded ? failed : Math.max(failed, 1), skipped };
}

/** The files in which something failed; none where the run failed for a reason that no file has. */
export function failedFiles(report: unknown): readonly string[] {
  return filesOf(report)
    .filter(({ failed }) => failed)
    .map(({ name }) => name);
}

/** The tally of a run whose failed files were run once more: what they gave the second time counts. */
export function afterSecondRun(first: unknown, second: Tally): Tally {
  const good = filesOf(first).filter(({ failed }) => !failed);
  return good.map(({ tally }) => tally).reduce(add, second);
}

export function add(a: Tally, b: Tally): Tally {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

function filesOf(report: unknown): readonly FileResult[] {
  return listIn(report, 'testResults').map((file) => {
    const statuses = listIn(file, 'assertionResults').map((test) => fieldOf(test, 'status'));
    const count = (wanted: (status: unknown) => boolean) => statuses.filter(wanted).length;
    const passed = count((status) => status === 'passed');
    const failed = count((status) => status === 'failed');
    return {
      name: String(fieldOf(file, 'name')),
      tally: { passed, failed, skipped: statuses.length - passed - failed },
      failed: failed > 0 || fieldOf(file, 'status') === 'failed',
    };
  });
}

function numberIn(report: unknown, field: string): number {
  const value = fieldOf(report, field);
  return typeof value === 'number' ? value : 0;
}

function listIn(value: unknown, field: string): readonly unknown[] {
  const list = fieldOf(value, field);
  return Array.isArray(list) ? list : [];
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
}
