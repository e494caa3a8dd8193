const nothing = /^(?:\p{Mark}|\p{Variation_Selector}|[\u200b-\u200d])$/u;
const double =
  /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\uff01-\uff60]$/u;

/** How many columns a character takes on a terminal. */
export function widthOf(character: string): 0 | 1 | 2 {
  if (nothing.test(character)) return 0;
  return double.test(character) ? 2 : 1;
}
