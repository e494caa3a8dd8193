import { GleitzeitError } from '../../core/errors.ts';
import { didYouMean } from '../../core/suggest.ts';
import { type CheckName, checkNames, examine, type Finding } from '../../main/doctor.ts';
import type { ExitName } from '../exits.ts';
import { cleanLine } from '../output/clean.ts';
import { fold } from '../output/fold.ts';
import { paint, type Style } from '../output/paint.ts';
import type { View } from '../output/table.ts';
import { padTo } from '../output/width.ts';
import { loadSettings } from '../settings.ts';
import type { Invocation } from '../spec.ts';

/** Finds what is wrong and says what to do about it. */
export async function doctor(call: Invocation): Promise<ExitName | undefined> {
  const { io, env } = call;
  const checks = call.arguments.length === 0 ? checkNames : call.arguments.map(checkOf);
  const findings = await examine({ load: () => loadSettings(call), environment: env, checks });
  const healthy = findings.every(({ status }) => status !== 'problem');
  await io.emit(io.format === 'jsonl' ? findings : { healthy, findings }, {
    table: (view) => findings.map((finding) => linesOf(finding, view)).join(''),
    names: findings.filter(({ status }) => status === 'problem').map(({ check }) => check),
  });
  io.say(summary(findings));
  return healthy ? undefined : 'failure';
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
