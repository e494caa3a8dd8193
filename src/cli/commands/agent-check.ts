import { GleitzeitError } from '../../core/errors.ts';
import { CHECK_TEXT, CHECK_TIMEOUT_MS, checkAddress, isWell } from '../../main/agent-check.ts';
import type { Client, ResultOf } from '../../sdk/index.ts';
import { withClient } from '../connect.ts';
import type { ExitName } from '../exits.ts';
import { untilInterrupted } from '../interrupt.ts';
import type { Invocation } from '../spec.ts';
import { type Checked, checkedText } from '../views/agent-check.ts';

/** Checks one agent, or all that are registered. */
export async function agentCheck(call: Invocation): Promise<ExitName | undefined> {
  const [agent] = call.arguments;
  const all = call.flags.is('all');
  if ((agent === undefined) !== all)
    throw new GleitzeitError('GLZ1012', all ? 'an agent and --all are two things' : 'no agent is named', {
      field: 'agent',
      hint: 'gleitzeit agent check <address or name>, or gleitzeit agent check --all',
    });
  const agents = await untilInterrupted((signal) =>
    agent !== undefined && /^https?:\/\//i.test(agent)
      ? atAddress(call, agent, signal)
      : withClient(call, (client) => registered(call, client, agent)),
  );
  if (agents === 'interrupted') return agents;
  return tell(call, agents);
}

async function tell({ io, flags }: Invocation, agents: readonly Checked[]): Promise<ExitName | undefined> {
  const passes = ({ well, problem, findings }: Checked) =>
    well ||
    (flags.text('fail-on') === 'error' &&
      problem === null &&
      findings.every(({ level }) => level !== 'error'));
  const well = agents.every(passes);
  await io.emit(io.format === 'jsonl' ? agents : { well, agents }, {
    table: (view) => agents.map((each) => checkedText(each, view)).join('\n'),
    names: agents.filter((each) => !passes(each)).map(({ name, url }) => name ?? url),
  });
  if (agents.length === 0) io.say('no agents are registered; gleitzeit agent add registers one');
  return well ? undefined : 'failure';
}

async function atAddress(call: Invocation, address: string, signal: AbortSignal): Promise<Checked[]> {
  const url = URL.parse(address);
  if (url === null) throw new GleitzeitError('GLZ1012', `"${address}" is no address`, { field: 'agent' });
  const whole = call.flags.milliseconds('timeout');
  const protocol = call.flags.text('protocol');
  const report = await checkAddress({
    url,
    protocol: protocol === 'simple-a2a' || protocol === 'auto' ? protocol : 'a2a',
    text: call.flags.text('text') ?? CHECK_TEXT,
    timeout_ms: call.flags.milliseconds('answer-timeout') ?? CHECK_TIMEOUT_MS,
    signal: whole === undefined ? signal : AbortSignal.any([signal, outOfTime(whole)]),
    headers: headersOf(call),
    // Whoever checks an agent on this machine means the others on it too.
    allow: isLocal(url) ? ['127.0.0.0/8', '::1/128'] : [],
  });
  return [{ name: null, ...report, well: isWell(report), problem: null }];
}

function outOfTime(ms: number): AbortSignal {
  const stop = new AbortController();
  setTimeout(
    () => stop.abort(new GleitzeitError('GLZ2003', `the check took longer than ${ms} ms`)),
    ms,
  ).unref();
  return stop.signal;
}

function isLocal({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

/** Out of variables, so that no secret stands in the history of the shell. */
function headersOf({ flags, env }: Invocation): Record<string, string> {
  const inVariable = (variable: string, field: string) => {
    const value = env[variable];
    if (value !== undefined && value !== '') return value;
    throw new GleitzeitError('GLZ1012', `--${field}: there is no variable ${variable}`, { field });
  };
  const headers: Record<string, string> = {};
  for (const variable of flags.list('header-env')) {
    const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(inVariable(variable, 'header-env')) ?? [];
    if (name === undefined || value === undefined)
      throw new GleitzeitError('GLZ1012', `--header-env: ${variable} holds no header`, {
        field: 'header-env',
        hint: 'write it as Name: value',
      });
    headers[name.toLowerCase()] = value;
  }
  const token = flags.text('token-env');
  if (token !== undefined) headers['authorization'] = `Bearer ${inVariable(token, 'token-env')}`;
  return headers;
}

async function registered(call: Invocation, client: Client, agent: string | undefined): Promise<Checked[]> {
  const text = call.flags.text('text');
  const timeout_ms = call.flags.milliseconds('answer-timeout');
  const asked = {
    ...(text === undefined ? {} : { text }),
    ...(timeout_ms === undefined ? {} : { timeout_ms }),
  };
  const checked: Checked[] = [];
  // One after another: whoever looks at their logs can tell what is whose.
  for (const name of agent === undefined ? await namesIn(client) : [agent]) {
    call.io.say(`checking ${name}`);
    checked.push(await client.call('agent.check', { name, ...asked }));
  }
  return checked;
}

async function namesIn(client: Client): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | null = null;
  do {
    const page: ResultOf<'agent.list'> = await client.call('agent.list', cursor === null ? {} : { cursor });
    names.push(...page.items.map(({ name }) => name));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return names;
}
