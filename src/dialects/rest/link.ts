/** The address of a Link header (RFC 8288) that has a relation; undefined for none. */
export function linkIn(header: string | string[] | undefined, relation: string): string | undefined {
  const text = Array.isArray(header) ? header.join(', ') : (header ?? '');
  for (const { groups } of text.matchAll(/<(?<address>[^>]*)>(?<params>(?:\s*;[^,;"]*(?:"[^"]*")?)*)/g)) {
    const [, quoted, bare] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(groups?.['params'] ?? '') ?? [];
    const relations = (quoted ?? bare ?? '').toLowerCase().split(/\s+/);
    if (relations.includes(relation)) return groups?.['address'];
  }
  return undefined;
}
