import { describe, expectTypeOf, it } from 'vitest';
import type { ErrorRecord } from '../core/errors.ts';
import type { Client, GleitzeitEvent, ResultOf } from './index.ts';

declare const client: Client;

/** Never called: only its types matter. */
function use(..._values: unknown[]): void {}

describe('types of the client', () => {
  it('knows the methods, their params and their results', () => {
    const status = () => client.call('task.status', { task_id: 'x' });
    expectTypeOf(status).returns.resolves.toEqualTypeOf<ResultOf<'task.status'>>();
    expectTypeOf<ResultOf<'task.status'>['attempt_count']>().toEqualTypeOf<number>();
    expectTypeOf<ResultOf<'workflow.submit'>['workflow_id']>().toEqualTypeOf<string>();
    // @ts-expect-error there is no such method
    use(() => client.call('task.stauts', { task_id: 'x' }));
    // @ts-expect-error a param is missing
    use(() => client.call('task.status', {}));
    // @ts-expect-error all params are missing
    use(() => client.call('task.status'));
    // @ts-expect-error a param is misspelt
    use(() => client.call('task.list', { limt: 3 }));
    // @ts-expect-error a param has the wrong type
    use(() => client.call('task.list', { limit: '3' }));
    // @ts-expect-error a word is none of those there are
    use(() => client.call('task.list', { status: 'done' }));
    // @ts-expect-error an option is misspelt
    use(() => client.call('task.list', {}, { timeout: 3 }));
  });

  it('asks for no params where there need be none', () => {
    use(
      () => client.call('system.info'),
      () => client.call('task.list'),
      () => client.call('task.list', { status: ['failed', 'cancelled'] }, { timeout_ms: 1000 }),
    );
  });

  it('tells events apart by their name', () => {
    const read = (event: GleitzeitEvent) => {
      if (event.event === 'task:failed') {
        expectTypeOf(event.data.error).toEqualTypeOf<ErrorRecord>();
        expectTypeOf(event.data.attempt).toEqualTypeOf<number>();
      }
      if (event.event === 'task:retrying') expectTypeOf(event.data.due_at).toEqualTypeOf<string>();
      if (event.event === 'workflow:started') expectTypeOf(event.data.total).toEqualTypeOf<number>();
      // @ts-expect-error there is no such event
      if (event.event === 'task:done') return;
    };
    use(read, () => client.events({ events: ['task:failed'], cursor: 0 }));
    // @ts-expect-error there is no such event
    use(() => client.events({ events: 'task:done' }));
  });

  it('gives what is waited for', () => {
    expectTypeOf(client.taskResult).returns.resolves.toEqualTypeOf<ResultOf<'task.result'>>();
    expectTypeOf(client.runResults).returns.resolves.toEqualTypeOf<ResultOf<'workflow.results'>>();
  });
});
