/** What most programs need to start at all. Nothing else of ours is handed on: the rest may be secret. */
const needed = ['PATH', 'HOME', 'LANG', 'TMPDIR'];
const neededOnWindows = ['SYSTEMROOT', 'USERPROFILE', 'TEMP', 'PATHEXT'];

/** The environment of a child: the least that works, and what was configured for it. */
export function childEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  configured: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const base = [...needed, ...neededOnWindows].flatMap((name) => {
    const value = ours[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(base), ...configured };
}
