import { shortened } from '../../verification/reply-text.ts';

/** So long a reply may be, in UTF-16 units; Slack takes no longer texts. */
export const LONGEST_REPLY = 40_000;

/**
 * `<!channel>`, `<!here>`, `<!everyone>`, `<!subteam^…>` and whatever else of the kind there will be: `<!date^…>` alone
 * calls nobody.
 */
const callOfMany = /<(?=!(?!date\^))/g;

/** A reply as it is posted: it is shown as it was said, and does not call the whole channel because somebody had an agent say so. */
export function replyText(text: string): string {
  return shortened(text.replace(callOfMany, '&lt;'), LONGEST_REPLY);
}
