import { GleitzeitError } from '../../core/errors.ts';

/** The program of a server, from `command`, or from `url` as stdio://path/to/program. */
export function programOf(config: {
  readonly command?: readonly string[];
  readonly url?: string;
}): readonly [string, ...string[]] {
  const { command, url } = config;
  if ((command === undefined) === (url === undefined)) {
    const reason = command === undefined ? 'is missing' : 'stands beside url, which says the same';
    throw new GleitzeitError('GLZ1012', `/config/command: ${reason}`, {
      field: '/config/command',
      reason,
      hint: 'give the program as command: [program, argument, …], or its path as url: stdio://path',
    });
  }
  const [program = '', ...args] = command ?? [pathIn(url ?? '')];
  return [program, ...args];
}

/** As it stands behind stdio://, from the folder of the configuration on where it does not begin with a slash. */
function pathIn(url: string): string {
  const path = url.slice('stdio://'.length);
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
