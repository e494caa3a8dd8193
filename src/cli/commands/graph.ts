import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { GleitzeitError } from '../../core/errors.ts';
import { showCall } from '../../core/task-call.ts';
import type { Client } from '../../sdk/index.ts';
import { withClient } from '../connect.ts';
import { findId } from '../find.ts';
import { graphDot } from '../graph/dot.ts';
import { graphMermaid } from '../graph/mermaid.ts';
import { type Graph, graphData, graphOf } from '../graph/model.ts';
import { graphSvg } from '../graph/svg.ts';
import { graphText } from '../graph/text.ts';
import type { Invocation } from '../spec.ts';
import { functionsAround, readWorkflowAt } from '../workflow-file.ts';

/** Larger pictures are of no use to anybody, and take long to draw. */
const MOST_DRAWN = 2000;

/** Draws a workflow file, or a run with the status of its tasks. */
export async function graph(call: Invocation): Promise<void> {
  const [named = ''] = call.arguments;
  const { io } = call;
  const drawn = isFile(call, named)
    ? graphOf((await readWorkflowAt(call, named, await functionsAround(call, named))).workflow)
    : await withClient(call, (client) => graphOfRun(client, named));
  if (io.format === 'mermaid') io.stdout.write(graphMermaid(drawn));
  else if (io.format === 'dot') io.stdout.write(graphDot(drawn));
  else if (io.format === 'svg') io.stdout.write(graphSvg(checkSize(drawn)));
  else if (io.format === 'text') io.stdout.write(graphText(drawn, io.stdout));
  else {
    const names = drawn.nodes.map(({ id }) => id);
    await io.emit(graphData(drawn), { table: (view) => graphText(drawn, view), names });
  }
}

function isFile({ cwd }: Invocation, named: string): boolean {
  if (named === '-' || named !== basename(named) || /\.(?:ya?ml|json)$/i.test(named)) return true;
  return existsSync(resolve(cwd, named));
}

function checkSize(drawn: Graph): Graph {
  if (drawn.nodes.length <= MOST_DRAWN) return drawn;
  throw new GleitzeitError('GLZ1012', `a picture of ${drawn.nodes.length} tasks cannot be read`, {
    field: 'output',
    hint: `up to ${MOST_DRAWN} tasks are drawn; -o dot and -o text take any number`,
  });
}

const MOST_TASKS = 10_000;
const AT_ONCE = 32;

/** What a run's tasks wait for is with the tasks themselves. */
async function graphOfRun(client: Client, id: string): Promise<Graph> {
  const found = await findId(client, id, MOST_TASKS);
  if (found.kind === 'task') {
    const { task } = found;
    return {
      name: task.name,
      nodes: [{ id: task.id, call: showCall(task), status: task.status, needs: [] }],
    };
  }
  const { name, tasks } = found.run;
  const nodes: Graph['nodes'][number][] = [];
  for (let from = 0; from < tasks.length; from += AT_ONCE) {
    const asked = tasks.slice(from, from + AT_ONCE);
    const told = await Promise.all(asked.map(({ task_id }) => client.call('task.status', { task_id })));
    for (const task of told)
      nodes.push({ id: task.id, call: showCall(task), status: task.status, needs: task.dependencies });
  }
  return { name, nodes };
}
