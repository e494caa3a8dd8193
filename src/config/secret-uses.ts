import { didYouMean } from '../core/suggest.ts';
import type { Finding } from '../files/parsed.ts';
import type { Path } from '../files/path.ts';
import type { Later } from './environment.ts';
import type { Secrets } from './secret.ts';

export type Uses = {
  readonly secrets: Secrets;
  /** Also those that could not be read: somebody has been told of that already. */
  readonly declared: readonly string[];
  report(finding: Finding): void;
};

/** For what is read once, at the start: secrets are put in, and nothing else can be. */
export function fillSecret(part: Later, path: Path, uses: Uses): string {
  if (part.escaped) return part.whole.slice(1);
  checkUse(part, path, uses);
  if (part.secret !== null) return uses.secrets[part.secret]?.reveal() ?? part.whole;
  const hint = 'write $${ for the characters themselves';
  uses.report({
    path,
    part: 'value',
    message: `nothing fills in ${part.whole} here`,
    hint,
    words: part.whole,
  });
  return part.whole;
}

/** For providers, whose secrets are filled in with every call, so that a changed one takes effect. */
export function leaveSecret(part: Later, path: Path, uses: Uses): string {
  checkUse(part, path, uses);
  return part.whole;
}

function checkUse({ secret, whole }: Later, path: Path, { declared, report }: Uses): void {
  if (secret === null || declared.includes(secret)) return;
  const hint =
    declared.length === 0 ? 'name it under secrets:' : didYouMean(secret, declared, 'known secrets');
  report({ path, part: 'value', message: `there is no secret "${secret}"`, hint, words: whole });
}
