/** What a terminal would obey or a reader could be misled by: control characters, changes of direction, half characters. */
const unsafe = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/gu;
const unsafeInText = /(?![\n\t])[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/gu;

/** Data for one line of a person's terminal: breaks become spaces, everything unsafe a visible sign. */
export function cleanLine(text: string): string {
  return text.replaceAll(/[\r\n\t]+/g, ' ').replaceAll(unsafe, sign);
}

/** Text of several lines; only breaks and tabs stay what they are. */
export function cleanText(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(unsafeInText, sign);
}

/** JSON says the same with escapes: `stringify` leaves what is above U+007E as it is. */
export function escapeJson(json: string): string {
  return json.replaceAll(unsafe, (character) => `\\u${hex(character, 4)}`);
}

/** YAML in double quotes, the same way. */
export function escapeYaml(yaml: string): string {
  return yaml.replaceAll(unsafeInText, (character) => `\\u${hex(character, 4)}`);
}

export function isUnsafe(text: string): boolean {
  return text.search(unsafe) !== -1;
}

const PICTURES = 0x2400;
const DELETE = 0x7f;

/** U+001B is shown as its picture, ␛; what has none as the sign for what cannot be shown. */
function sign(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(PICTURES + code);
  return code === DELETE ? '\u2421' : '\ufffd';
}

function hex(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, '0');
}
