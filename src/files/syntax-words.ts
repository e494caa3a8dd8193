import type { YAMLError } from 'yaml';

export type Words = { readonly message: string; readonly hint: string | null };

const QUOTE = 'put the text in quotes';

/** What the parser's codes mean to somebody who has to mend the file. */
const words: Partial<Record<YAMLError['code'], Words>> = {
  TAB_AS_INDENT: { message: 'is indented with a tab', hint: 'indent with spaces' },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'is a second "key: value" on one line',
    hint: 'begin a new line, or put the text in quotes if it holds ": "',
  },
  BAD_SCALAR_START: { message: 'begins with a character that YAML keeps for itself', hint: QUOTE },
  BAD_DQ_ESCAPE: {
    message: 'holds an escape that does not exist',
    hint: 'write \\\\ for a backslash, or use single quotes',
  },
  KEY_OVER_1024_CHARS: { message: 'is a key of more than 1024 characters', hint: null },
  MULTILINE_IMPLICIT_KEY: { message: 'is a key over several lines', hint: 'is a ":" missing, or a quote?' },
  BAD_ALIAS: { message: 'is not a name for an anchor or alias', hint: QUOTE },
  ALIAS_PROPS: { message: 'is an alias with something before it', hint: 'an alias stands alone: *name' },
  MULTIPLE_ANCHORS: { message: 'is a second anchor for one value', hint: null },
  MULTIPLE_TAGS: { message: 'is a second tag for one value', hint: null },
  TAG_RESOLVE_FAILED: {
    message: 'is a tag, which is not read here',
    hint: 'leave it out, or quote the text',
  },
  BAD_COLLECTION_TYPE: { message: 'is a tag that does not go with the value', hint: 'leave it out' },
  BAD_DIRECTIVE: { message: 'is a directive that is not read here', hint: 'leave it out' },
};

export function explainSyntax(error: YAMLError, text: string): Words {
  return words[error.code] ?? { message: plainWords(error.message), hint: hintFor(error, text) };
}

function plainWords(message: string): string {
  if (message.startsWith('Unexpected ')) return 'does not belong here';
  const quote = /^Missing closing (["'])quote/.exec(message)?.[1];
  if (quote !== undefined) return `a closing ${quote} is missing`;
  const bracket = /end with a ([\]}])/.exec(message)?.[1];
  if (bracket !== undefined) return `a closing ${bracket} is missing, or not indented enough`;
  return `cannot be read: ${message.slice(0, 1).toLowerCase()}${message.slice(1, 200)}`;
}

function hintFor({ code, pos }: YAMLError, text: string): string | null {
  const line = text.slice(text.lastIndexOf('\n', pos[0] - 1) + 1, pos[0]);
  if (/\$$/.test(line) && text[pos[0]] === '{')
    return 'put text with ${…} in quotes where it stands in { } or [ ]';
  if (code === 'BAD_INDENT') return 'check the indentation, and that every bracket and quote is closed';
  if (code === 'MISSING_CHAR') return 'is a quote, a comma or a ":" with a space missing?';
  return code === 'UNEXPECTED_TOKEN'
    ? 'check the indentation and the quotes of this line and the one before'
    : null;
}
