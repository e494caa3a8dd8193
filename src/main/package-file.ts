/** A file of the package, wherever this code runs from: the sources, what was built from them, or a bundle. */
export function packageFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}
