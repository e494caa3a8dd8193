import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { ParamsOf, ResultOf } from '../../sdk/index.ts';
import { withClient } from '../connect.ts';
import { readData, readDataFile } from '../read-input.ts';
import type { Invocation } from '../spec.ts';
import { agentText } from '../views/agent.ts';

/** Registers an agent. The server judges the entry, and says everything that is wrong with it. */
export async function agentAdd(call: Invocation): Promise<void> {
  const [name = ''] = call.arguments;
  const entry = { ...(await readEntry(call)), name };
  await withClient(call, async (client) => {
    const told = await client.call('agent.create', entry as unknown as ParamsOf<'agent.create'>);
    await emit(call, told);
    if (call.io.format === 'table') call.io.say(`a task that says agent: ${told.name} goes to it`);
  });
}

export async function agentUpdate(call: Invocation): Promise<void> {
  const [name = ''] = call.arguments;
  const version = call.flags.count('expect');
  const change = { ...(await readEntry(call)), name, ...(version === undefined ? {} : { version }) };
  await withClient(call, async (client) => emit(call, await client.call('agent.update', change)));
}

export function agentRemove(call: Invocation): Promise<void> {
  const [name = ''] = call.arguments;
  return withClient(call, async (client) => {
    const told = await client.call('agent.delete', { name });
    await call.io.emit(told, { table: () => `the agent ${told.name} was removed\n`, names: [told.name] });
  });
}

function emit({ io }: Invocation, told: ResultOf<'agent.get'>): Promise<void> {
  return io.emit(told, { table: (view) => agentText(told, view), names: [told.name] });
}

const texts = { url: 'url', protocol: 'protocol', description: 'description', 'call-timeout': 'timeout' };

const objects = { 'protocol-config': 'protocol_config', limits: 'limits' };

/** What the command line says of an agent, over what a file says. */
async function readEntry(call: Invocation): Promise<JsonObject> {
  const { flags } = call;
  const file = flags.text('entry');
  const entry: { [key: string]: Json } =
    file === undefined ? {} : { ...asObject(await readDataFile(call, file), 'entry') };
  for (const [flag, key] of Object.entries(texts)) {
    const text = flags.text(flag);
    if (text !== undefined) entry[key] = text;
  }
  const implemented = flags.list('implements');
  if (implemented.length > 0) entry['implements'] = [...implemented];
  for (const [flag, key] of Object.entries(objects)) {
    const given = flags.text(flag);
    if (given !== undefined) entry[key] = asObject(await readData(call, given, flag), flag);
  }
  const auth = await readAuth(call);
  if (auth !== null) entry['auth_config'] = auth;
  return entry;
}

async function readAuth(call: Invocation): Promise<JsonObject | null> {
  const given = call.flags.text('auth');
  const variable = call.flags.text('token-env');
  if (given !== undefined && variable !== undefined)
    throw wrong('auth', '--auth and --token-env say two different things', 'leave one of them out');
  if (given !== undefined) return asObject(await readData(call, given, 'auth'), 'auth');
  if (variable === undefined) return null;
  const token = call.env[variable];
  if (token !== undefined && token !== '') return { type: 'bearer', token };
  throw wrong('token-env', `the variable ${variable} is not set`, `export ${variable}=…`);
}

function asObject(value: Json, flag: string): JsonObject {
  if (isObject(value)) return value;
  throw wrong(flag, `--${flag} takes an object`, 'as JSON or YAML, or @file');
}

function wrong(field: string, message: string, hint: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', message, { field, hint });
}
