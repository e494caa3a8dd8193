/** How messages stand on a stream of bytes: one a line, or each behind a header that counts its bytes. */
export type Framing = 'lines' | 'headers';

export type FrameSink = {
  /** One whole message. The bytes are the sink's to keep. */
  message(bytes: Uint8Array): void;
  /** A message past the bound, of which the beginning was kept. */
  refused(head: Uint8Array, reason: string): void;
  /** The stream cannot be understood from here on. Nothing more will be told. */
  broken(reason: string): void;
};

export function frame(text: string, framing: Framing): string {
  // JSON text written by us has no line end of its own; one that is handed in may.
  if (framing === 'lines') return `${text.includes('\n') ? text.replaceAll(/\r?\n/g, ' ') : text}\n`;
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}
