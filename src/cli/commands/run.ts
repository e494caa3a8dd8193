import { randomUUID } from 'node:crypto';
import { AGENT_PROTOCOL } from '../../core/agent.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Client, ResultOf } from '../../sdk/index.ts';
import type { Connected } from '../connect.ts';
import { ourError } from '../connect-errors.ts';
import type { ExitName } from '../exits.ts';
import { followAndReport } from '../following/command.ts';
import { whileConnected } from '../following/connected.ts';
import { readInput } from '../read-input.ts';
import { type Runnable, readRunnable } from '../runnable.ts';
import type { Invocation } from '../spec.ts';

/** Starts a run and shows how it goes on, here or on a server; or goes on with one that was left unfinished. */
export async function run(call: Invocation): Promise<ExitName | undefined> {
  const { flags } = call;
  const began = performance.now();
  if (flags.is('resume') && flags.text('key') !== undefined) throw keyWithoutMeaning();
  const input = await readInput(call);
  const runnable = await readRunnable(call, call.arguments[0] ?? '');
  // Whoever goes on with a run wants to see it go on, whatever the file says.
  const works = !flags.is('async') && (flags.is('resume') || !runnable.alone);
  let found: ResultOf<'workflow.find'> | null = null;
  const look = async (client: Client) => {
    found = await unfinished(client, { runnable, input });
    return true;
  };
  return whileConnected(call, {
    began,
    works,
    warm: protocolsOf(runnable),
    look: flags.is('resume') ? look : undefined,
    unanswered: 'Left before there was an answer; gleitzeit list shows whether the run was started.',
    begin: async (connected) => {
      if (works) await tellOfOthers(call, connected);
      // Opened for work, the store may have ended it by now: what was interrupted too often fails.
      return begin(call, connected, { runnable, input, found });
    },
    follow: async (following, { workflow_id, name }) => {
      if (!works) return leaveAlone(call, following.connected, { workflow_id, name });
      const fresh = !flags.is('resume') && flags.text('key') === undefined;
      return followAndReport(call, following, { subject: { kind: 'run', workflow_id }, name, fresh });
    },
  });
}

async function leaveAlone({ io }: Invocation, { local }: Connected, begun: Begun): Promise<undefined> {
  const { workflow_id } = begun;
  await io.emit({ ...begun, status: 'running' }, { table: () => `${workflow_id}\n`, names: [workflow_id] });
  if (local !== null)
    io.say(`It is in the store, and goes on when something works on it: gleitzeit watch ${workflow_id}`);
}

function protocolsOf({ what }: Runnable): string[] {
  return 'workflow' in what ? what.workflow.tasks.map(({ protocol }) => protocol ?? AGENT_PROTOCOL) : [];
}

type Wanted = {
  readonly runnable: Runnable;
  readonly input: Json | undefined;
  /** The run to go on with, where it was looked up before. */
  readonly found?: ResultOf<'workflow.find'> | null;
};

function givenOf({ runnable, input }: Wanted) {
  return { ...runnable.what, ...(input === undefined ? {} : { input }) };
}

/** The newest run of the same definition and input that has not ended. */
function unfinished(client: Client, wanted: Wanted): Promise<ResultOf<'workflow.find'>> {
  const { runnable } = wanted;
  return client.call('workflow.find', givenOf(wanted)).catch((thrown: unknown) => {
    throw nothingToResume(runnable.placed(ourError(thrown)), runnable.name);
  });
}

type Begun = { readonly workflow_id: string; readonly name: string };

/** A new run, or the newest unfinished one of the same definition and input. */
async function begin({ flags, io }: Invocation, { client }: Connected, wanted: Wanted): Promise<Begun> {
  const { runnable } = wanted;
  const { name } = runnable;
  if (!flags.is('resume')) {
    // With a key of its own it is sent again after a cut, and still started once.
    const idempotency_key = flags.text('key') ?? randomUUID();
    const { workflow_id } = await client
      .call('workflow.submit', { ...givenOf(wanted), idempotency_key })
      .catch((thrown: unknown) => {
        throw runnable.placed(ourError(thrown));
      });
    return { workflow_id, name };
  }
  const { workflow_id, status } = wanted.found ?? (await unfinished(client, wanted));
  if (status === 'paused') await client.call('workflow.resume', { workflow_id });
  io.say(`Going on with ${workflow_id}.`);
  return { workflow_id, name };
}

function keyWithoutMeaning(): GleitzeitError {
  return new GleitzeitError('GLZ1012', '--resume starts nothing, so --key has no meaning with it', {
    field: 'key',
  });
}

function nothingToResume(error: GleitzeitError, name: string): GleitzeitError {
  if (error.code !== 'GLZ1010') return error;
  return new GleitzeitError(
    'GLZ1010',
    `there is no unfinished run of "${name}" with this definition and input`,
    {
      hint: `leave --resume out to start one; gleitzeit list --name ${JSON.stringify(name)} shows those that ended or had other input, and gleitzeit watch <id> goes on with one of them`,
    },
  );
}

/** What an earlier process left in the store goes on as soon as anything works on it: nobody should be surprised. */
async function tellOfOthers({ flags, io }: Invocation, { local }: Connected): Promise<void> {
  if (flags.is('resume')) return;
  const others = (await local?.unfinished(MANY + 1)) ?? [];
  const [first] = others;
  if (first === undefined) return;
  const one = `the run ${first.workflow_id} of "${first.name}", which did not finish before and goes`;
  const count = others.length > MANY ? `more than ${MANY}` : String(others.length);
  const many = `${count} runs that did not finish before and go`;
  io.say(
    `The store holds ${others.length === 1 ? one : many} on beside this one (gleitzeit list --status running).`,
  );
}

const MANY = 5;
