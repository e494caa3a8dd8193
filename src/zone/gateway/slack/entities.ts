const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const characters: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/**
 * What Slack makes something else of: somebody, a channel, a link, a time. Whatever else begins with `<!` calls many:
 * `<!channel>`, `<!here>`, `<!everyone>`, `<!subteam^…>`, and what there will be of the kind.
 */
const form = /<(?:[@#][A-Z0-9]+|(?:https?:\/\/|mailto:|tel:)[^<>|\s]+|!date\^[^<>|]+)(?:\|[^<>\n]*)?>/;
const formOrCharacter = new RegExp(`(${form.source})|[&<>]`, 'g');

/** A text as Slack is told it. Its forms stay forms, but none calls many. */
export function escaped(text: string): string {
  return text.replace(formOrCharacter, (found, kept?: string) =>
    kept === undefined ? (entities[found] ?? found) : kept.replaceAll('&', '&amp;'),
  );
}

/** What somebody said whose text Slack has escaped. */
export function said(text: string): string {
  return text.replace(/&(?:amp|lt|gt);/g, (found) => characters[found] ?? found);
}
