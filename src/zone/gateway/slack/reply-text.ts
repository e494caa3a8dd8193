import { shortened } from '../../verification/reply-text.ts';
import { escaped } from './entities.ts';

/** So long a reply may be, in UTF-16 units; Slack takes no longer texts. */
export const LONGEST_REPLY = 40_000;

/** An entity or a form of which the rest was cut away. */
const cutOff = /(?:&[a-z]*|<[^<>]*)…$/;

/** A reply as it is posted: it is shown as it was said, and does not call the whole channel because somebody had an agent say so. */
export function replyText(text: string): string {
  const whole = escaped(text);
  return whole.length <= LONGEST_REPLY ? whole : shortened(whole, LONGEST_REPLY).replace(cutOff, '…');
}
