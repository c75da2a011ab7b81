import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Call } from './providers.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32
const LENGTH_BYTES = 4

const keyOf = (secret: string, sourceId: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, sourceId, 'daybook source event', KEY_BYTES))

/** What is encrypted: the headers as JSON after their length, and the body. */
function packed({ headers, body }: Call): Buffer {
  const text = Buffer.from(JSON.stringify(headers))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(text.length)
  return Buffer.concat([length, text, body])
}

/** Encrypts a call with a key derived from the secret of its source: a random nonce, the tag, and the rest. */
export function seal(call: Call, secret: string, sourceId: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, keyOf(secret, sourceId), nonce)
  const encrypted = Buffer.concat([cipher.update(packed(call)), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted])
}

/** The call as it came; undefined if it was sealed with another secret. */
export function unseal(sealed: Uint8Array, secret: string, sourceId: string): Call | undefined {
  const body = NONCE_BYTES + TAG_BYTES
  try {
    const decipher = createDecipheriv(CIPHER, keyOf(secret, sourceId), sealed.subarray(0, NONCE_BYTES))
    decipher.setAuthTag(sealed.subarray(NONCE_BYTES, body))
    const opened = Buffer.concat([decipher.update(sealed.subarray(body)), decipher.final()])
    const end = LENGTH_BYTES + opened.readUInt32BE()
    return { headers: JSON.parse(opened.toString('utf8', LENGTH_BYTES, end)), body: opened.subarray(end) }
  } catch {
    return undefined
  }
}
