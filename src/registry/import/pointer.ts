/** The steps of a JSON pointer as it stands in the address of a reference. */
export function pathOfPointer(text: string): string[] {
  return text
    .split('/')
    .slice(1)
    .map((step) => decoded(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
