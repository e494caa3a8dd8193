/** A pattern of file names, ready to be held against paths with `/` between their parts. */
export type Glob = {
  matches(path: string): boolean;
  /** Whether files in folders below can match. */
  readonly deep: boolean;
};

/** Why a pattern is none, or null. */
export function patternTrouble(pattern: string): string | null {
  if (pattern.startsWith('/') || /^[A-Za-z]:/.test(pattern) || pattern.includes('\\')) {
    return 'must be a pattern of names inside the folder, with / between them';
  }
  const parts = partsOf(pattern);
  if (parts.includes('..')) return 'must not lead out of the folder';
  return parts.length === 0 || parts.includes('') ? 'must not have an empty name in it' : null;
}

/** Why a pattern that fits nothing may have been meant for something; null where nothing speaks for it. */
export function patternHint(pattern: string): string | null {
  return /\[.*\]|\{.*\}|^!/.test(pattern)
    ? 'only *, ? and ** stand for something else; every other sign is meant as it is'
    : null;
}

/** `./` leads nowhere. */
function partsOf(pattern: string): readonly string[] {
  return pattern.split('/').filter((part) => part !== '.');
}

/**
 * `*` and `?` stand for any characters and for one within a name, `**` for any number of folders. Names that begin with a
 * dot are meant only where the pattern has the dot. Without regular expressions: a pattern takes time in proportion to
 * its length times that of the path.
 */
export function readGlob(pattern: string): Glob {
  const parts = partsOf(pattern);
  return {
    matches: (path) => matchesParts(path.split('/'), parts),
    deep: parts.length > 1 || parts[0] === '**',
  };
}

/** `reached[j]`: the names so far fit the first `j` parts of the pattern. */
function matchesParts(names: readonly string[], parts: readonly string[]): boolean {
  let reached = closure([true], parts);
  for (const name of names) {
    const next: boolean[] = [];
    for (const [j, part] of parts.entries()) {
      if (reached[j] !== true) continue;
      if (part === '**') next[j] = next[j] === true || !name.startsWith('.');
      else if (matchesName(name, part)) next[j + 1] = true;
    }
    reached = closure(next, parts);
  }
  return reached[parts.length] === true;
}

/** `**` also stands for no folder at all. */
function closure(reached: boolean[], parts: readonly string[]): boolean[] {
  for (const [j, part] of parts.entries()) if (part === '**' && reached[j] === true) reached[j + 1] = true;
  return reached;
}

function matchesName(name: string, part: string): boolean {
  if (name.startsWith('.') && !part.startsWith('.')) return false;
  let reached = [true];
  const stars = (list: boolean[]) => {
    for (let j = 0; j < part.length; j++) if (part[j] === '*' && list[j] === true) list[j + 1] = true;
    return list;
  };
  reached = stars(reached);
  for (const character of name) {
    const next: boolean[] = [];
    for (let j = 0; j < part.length; j++) {
      if (reached[j] !== true) continue;
      if (part[j] === '*') next[j] = true;
      else if (part[j] === '?' || part.startsWith(character, j))
        next[j + (part[j] === '?' ? 1 : character.length)] = true;
    }
    reached = stars(next);
  }
  return reached[part.length] === true;
}
