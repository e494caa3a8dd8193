import { GleitzeitError } from '../../core/errors.ts';
import { didYouMean } from '../../core/suggest.ts';
import { type CheckName, checkNames, examine, type Finding, findings } from '../../main/doctor.ts';
import { version } from '../../main/version.ts';
import { shownUrl } from '../addresses.ts';
import { withClient } from '../connect.ts';
import type { ExitName } from '../exits.ts';
import { cleanLine } from '../output/clean.ts';
import { fold } from '../output/fold.ts';
import { paint, type Style } from '../output/paint.ts';
import type { View } from '../output/table.ts';
import { padTo } from '../output/width.ts';
import { loadServed, loadSettings } from '../settings.ts';
import type { Invocation } from '../spec.ts';

/** Finds what is wrong and says what to do about it. */
export async function doctor(call: Invocation): Promise<ExitName | undefined> {
  const { io, env } = call;
  const checks = call.arguments.length === 0 ? checkNames : call.arguments.map(checkOf);
  const [load, served] = [() => loadSettings(call), () => loadServed(call)];
  const found = await examine({ load, served, environment: env, checks });
  if (checks.includes('server')) found.push(...(await checkServer(call)));
  const healthy = found.every(({ status }) => status !== 'problem');
  await io.emit(io.format === 'jsonl' ? found : { healthy, findings: found }, {
    table: (view) => found.map((finding) => linesOf(finding, view)).join(''),
    names: found.filter(({ status }) => status === 'problem').map(({ check }) => check),
  });
  io.say(summary(found));
  return healthy ? undefined : 'failure';
}

const server = findings('server');

/** The server that commands here are sent to: whether it is there, takes the key, and is of the same version. */
async function checkServer(call: Invocation): Promise<readonly Finding[]> {
  const named = call.flags.text('server');
  if (named === undefined) {
    const asked = call.arguments.includes('server');
    return asked ? [server.ok('none is named: commands ask whoever holds the local store, or open it')] : [];
  }
  try {
    const info = await withClient(call, (client) => client.call('system.info'));
    const message = `${shownUrl(named)} answers: gleitzeit ${info.version}, to ${info.caller.role} ${info.caller.name}`;
    if (info.version === version()) return [server.ok(message)];
    return [server.warning(message, `here is ${version()}: use one version on both sides`)];
  } catch (thrown) {
    const { code, message, details } = GleitzeitError.from(thrown);
    const { reason, hint = null } = details;
    const away = 'is --server or GLEITZEIT_SERVER_URL right? gleitzeit serve starts a server';
    const whole = reason === undefined ? message : `${message}: ${reason}`;
    return [server.problem(whole, code === 'GLZ2002' ? away : hint)];
  }
}

function checkOf(named: string): CheckName {
  const known = checkNames.find((name) => name === named);
  if (known !== undefined) return known;
  throw new GleitzeitError('GLZ1012', `there is no check "${named}"`, {
    field: 'check',
    hint: didYouMean(named, checkNames, 'checks'),
  });
}

const signs: Readonly<Record<Finding['status'], { icon: string; style: Style }>> = {
  ok: { icon: '✓', style: 'green' },
  warning: { icon: '!', style: 'yellow' },
  problem: { icon: '✗', style: 'red' },
};

/** `✓ ok       providers  `, after which it is told. */
const TOLD = 22;

function linesOf({ check, status, message, hint }: Finding, { colour, columns }: View): string {
  const { icon, style } = signs[status];
  const head = `${paint(colour, style, `${icon} ${padTo(status, 7)}`)}  ${padTo(check, 9)}  `;
  const room = columns === null ? Number.POSITIVE_INFINITY : Math.max(20, columns - TOLD);
  const folded = (text: string) => fold(cleanLine(text), { first: room, rest: room });
  const hints = hint === null ? [] : folded(hint).map((line) => paint(colour, 'dim', line));
  const [first = '', ...rest] = [...folded(message), ...hints];
  return [head + first, ...rest.map((line) => ' '.repeat(TOLD) + line), ''].join('\n');
}

function summary(findings: readonly Finding[]): string {
  const count = (wanted: Finding['status']) => findings.filter(({ status }) => status === wanted).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  if (problems === 0 && warnings === 0) return 'Everything is in order.';
  const parts = [plural(problems, 'problem'), plural(warnings, 'warning')].filter((part) => part !== null);
  return `${parts.join(' and ')}.`;
}

function plural(count: number, word: string): string | null {
  if (count === 0) return null;
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
