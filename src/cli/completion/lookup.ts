import type { Client } from '../../sdk/index.ts';
import type { Completion } from '../spec.ts';
import type { Candidate } from './words.ts';

/** As many as anybody would look through. */
const MOST = 50;

type Given = ReadonlyMap<string, string>;

/** What there is of a kind right now, the newest first. */
export async function lookUp(client: Client, kind: Completion, given: Given): Promise<Candidate[]> {
  if (kind === 'run') return runs(client);
  if (kind === 'task') return tasks(client);
  if (kind === 'any-id') return (await Promise.all([runs(client), tasks(client)])).flat();
  if (kind === 'short-id') return shortIds(client, given.get('id'));
  if (kind === 'protocol') return protocols(client);
  if (kind === 'provider') return providers(client);
  if (kind === 'agent') return agents(client);
  return kind === 'method' ? methodsOf(client, given.get('protocol')) : [];
}

async function runs(client: Client): Promise<Candidate[]> {
  const { items } = await client.call('workflow.list', { limit: MOST });
  return items.map(({ workflow_id, name, status }) => ({ value: workflow_id, says: `${name}, ${status}` }));
}

async function tasks(client: Client): Promise<Candidate[]> {
  const { items } = await client.call('task.list', { limit: MOST });
  return items.map(({ task_id, id, protocol, status }) => ({
    value: task_id,
    says: `${id === task_id ? protocol : id}, ${status}`,
  }));
}

async function shortIds(client: Client, workflow_id: string | undefined): Promise<Candidate[]> {
  if (workflow_id === undefined) return [];
  const { items } = await client.call('task.list', { workflow_id, limit: MOST });
  return items.map(({ id, protocol, status }) => ({ value: id, says: `${protocol}, ${status}` }));
}

async function protocols(client: Client): Promise<Candidate[]> {
  const { items } = await client.call('protocol.list');
  return items.map(({ name, description }) => ({ value: name, says: description ?? '' }));
}

async function providers(client: Client): Promise<Candidate[]> {
  const { items } = await client.call('provider.list');
  return items.map(({ id, protocol }) => ({ value: id, says: protocol }));
}

async function agents(client: Client): Promise<Candidate[]> {
  const { items } = await client.call('agent.list', { limit: MOST });
  return items.map(({ name, protocol, url }) => ({ value: name, says: `${protocol}, ${url}` }));
}

/** Of a protocol, where one was named; otherwise of the API itself. */
async function methodsOf(client: Client, protocol: string | undefined): Promise<Candidate[]> {
  if (protocol === undefined) {
    const { methods } = await import('../../api/methods.ts');
    return Object.entries(methods).map(([value, { summary }]) => ({ value, says: summary }));
  }
  const known = await client.call('protocol.get', { name: protocol });
  return Object.entries(known.methods).map(([value, { description }]) => ({
    value,
    says: description ?? '',
  }));
}
