/** More values than this for one label and a time series database suffers; the rest shares one. */
const MOST_VALUES = 100;

export const OTHER = 'other';

/**
 * Values a label may have: names that are known when they are first seen, and not too many. Anything else is `other`, so
 * that nobody makes series by sending names.
 */
export function boundedLabel(isKnown: (name: string) => boolean = () => true): (name: string) => string {
  const seen = new Set<string>();
  return (name) => {
    if (seen.has(name)) return name;
    if (seen.size >= MOST_VALUES || !isKnown(name)) return OTHER;
    seen.add(name);
    return name;
  };
}
