/** So much of a text as fits into so many UTF-16 units, at least one of them; what was left out shows, and no character is cut in two. */
export function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const end = longest - 1;
  const last = text.charCodeAt(end - 1);
  const cutsPair = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, cutsPair ? end - 1 : end)}…`;
}
