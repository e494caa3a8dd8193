import { taskMethods } from '../../api/methods/task.ts';
import { anyJson, nullable, words } from '../../api/shapes/basic.ts';
import { runStatus } from '../../api/shapes/workflow.ts';
import { Type } from '../../type.ts';

const migration = Type.Object({ version: Type.Integer(), name: Type.String() });

const report = Type.Object({
  workflow_id: Type.String(),
  name: nullable(Type.String()),
  status: runStatus,
  results: Type.Optional(
    nullable(Type.Record(Type.String(), anyJson), {
      description: 'by short id; null where they are too large for one answer; not there with --async',
    }),
  ),
  failed: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String(),
        task_id: Type.String(),
        status: Type.String(),
        error: nullable(Type.String()),
      }),
      { description: 'the tasks that did not complete' },
    ),
  ),
});

/** What commands that run something here print. */
export const runOutputs = {
  run: report,
  watch: Type.Union([report, taskMethods['task.result'].result]),
  db_status: Type.Object({
    type: words(['sqlite', 'postgres']),
    place: Type.String({ description: 'the file, or the address without its password' }),
    exists: Type.Boolean(),
    size_bytes: nullable(Type.Integer()),
    holder: nullable(
      Type.Object({ pid: Type.Integer(), started_at: Type.String(), address: nullable(Type.String()) }),
    ),
    applied: Type.Array(migration),
    pending: Type.Array(migration),
    clock_ahead_ms: nullable(Type.Integer(), {
      description: 'what the clock of the server is ahead of ours',
    }),
  }),
  db_migrated: Type.Object({
    dry_run: Type.Boolean({ description: 'nothing was applied' }),
    migrations: Type.Array(migration),
  }),
  db_backup: Type.Object({ file: Type.String(), size_bytes: Type.Integer() }),
  doctor: Type.Object({
    healthy: Type.Boolean({ description: 'no problem was found; there may be warnings' }),
    findings: Type.Array(
      Type.Object({
        check: Type.String(),
        status: words(['ok', 'warning', 'problem']),
        message: Type.String(),
        hint: nullable(Type.String(), { description: 'what to do about it' }),
      }),
    ),
  }),
  init: Type.Object({
    folder: Type.String(),
    template: Type.String(),
    written: Type.Array(Type.String()),
    kept: Type.Array(Type.String(), { description: 'files that were there already, and are as they were' }),
  }),
};
