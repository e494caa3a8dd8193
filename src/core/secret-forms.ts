/** Shorter pieces of a secret are words that occur everywhere. */
export const SHORTEST_PIECE = 8;

/**
 * Every text that gives a secret away once escapes are undone: as it is, in base64, in base64 of an address, and each of its
 * lines, since whoever prints a key prints it line by line.
 */
export function secretForms(secret: string): string[] {
  const lines = secret
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line.length >= SHORTEST_PIECE);
  const forms = [...new Set([secret, ...lines])].flatMap((text) => [
    text,
    // An address may have a plus for a space.
    text.replaceAll(' ', '+'),
    ...base64Forms(text),
    ...inAddresses(text).flatMap(base64Forms),
  ]);
  return [...new Set(forms)].filter((form) => form !== '');
}

/** As it stands in an address, and in one that a form made: these leave other characters as they are. */
function inAddresses(text: string): string[] {
  const whole = text.toWellFormed();
  const written = [encodeURIComponent(whole), new URLSearchParams({ '': whole }).toString().slice(1)];
  return [...new Set(written)].filter((address) => address !== text);
}

/**
 * In base64 three bytes are four characters, so what a text becomes depends on how many bytes stand before it:
 * `user:password` shows the same password in three ways. Characters that its neighbours share in are left out.
 */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor((whole.length * 8) / 6);
    const form = whole.toString('base64').slice(from, to);
    if (form.length < SHORTEST_PIECE) return [];
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
