import type { OptionSpec } from '../spec.ts';

/** What every command that lists takes. */
export const pagingOptions: readonly OptionSpec[] = [
  { flags: '--limit <number>', description: 'at most so many', default: '50' },
  { flags: '--cursor <cursor>', description: 'where the list before ended' },
  { flags: '--all', description: 'everything there is' },
];

export const inputOptions: readonly OptionSpec[] = [
  {
    flags: '--input <key=value>',
    description: 'a value of the input: topic=bees, limit=3, user.name=ann; JSON where it is JSON',
    repeat: true,
  },
  {
    flags: '--input-file <file>',
    description: 'the input as JSON or YAML; - is standard input',
    complete: 'file',
  },
];

export const keyOption: OptionSpec = {
  flags: '--key <key>',
  description: 'sent again with the same key, nothing new is started and the first answer is given again',
};
