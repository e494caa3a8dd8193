/** The way to a value inside a file: keys of mappings, numbers of list items. */
export type Path = readonly (string | number)[];

const plainKey = /^[A-Za-z_][\w-]*$/;

/** As people write it: `protocols[0].providers[1].config.url`; odd keys in quotes. */
export function showPath(path: Path): string {
  let shown = '';
  for (const step of path) {
    if (typeof step === 'number') shown += `[${step}]`;
    else if (!plainKey.test(step)) shown += `[${JSON.stringify(step)}]`;
    else shown += shown === '' ? step : `.${step}`;
  }
  return shown;
}

/** The steps of a JSON pointer, all of them as text: a pointer does not say what is a list. */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
