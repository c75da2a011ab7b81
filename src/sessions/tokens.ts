/** 256 random bits in URL-safe base64, of which only the SHA-256 is stored. */
export const newToken = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')

/** Whether the text has the form of a token. */
export const isToken = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)
