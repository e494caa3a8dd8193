/** Shorter pieces of a secret are words that occur everywhere. */
export const SHORTEST_PIECE = 8;

/**
 * Every text that gives a secret away: as it is, quoted in JSON, quoted in JSON that stands in other JSON, as part of an
 * address, in base64, and each of its lines, since whoever prints a key prints it line by line.
 */
export function secretForms(secret: string): string[] {
  const lines = secret
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line.length >= SHORTEST_PIECE);
  const forms = [...new Set([secret, ...lines])].flatMap((text) => [
    text,
    ...quotedForms(text),
    ...addressForms(text),
    ...base64Forms(text),
  ]);
  return [...new Set(forms)].filter((form) => form !== '');
}

function quotedForms(text: string): string[] {
  const quoted = JSON.stringify(text).slice(1, -1);
  return [quoted, JSON.stringify(quoted).slice(1, -1)];
}

function addressForms(text: string): string[] {
  if (!text.isWellFormed()) return [];
  const encoded = encodeURIComponent(text);
  return [encoded, encoded.replaceAll('%20', '+')];
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
