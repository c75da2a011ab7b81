import { VERSION } from '../lib/version.ts'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A new signing secret: `whsec_` and the base64 of 32 random bytes. */
export const newSecret = (): string =>
  PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('base64')

/** The bytes that a secret encodes, the key of Standard Webhooks. */
export const secretBytes = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64')

/** Whether the text has the form of a secret. */
export const isSecret = (text: string): boolean =>
  text.startsWith(PREFIX) &&
  secretBytes(text).length === SECRET_BYTES &&
  secretBytes(text).toString('base64') === text.slice(PREFIX.length)

/**
 * `v1` of `X-Service-Signature`: lower-case hex over `<t>.<raw body>`, keyed with the UTF-8 bytes of the whole
 * secret, including its prefix.
 */
export const serviceSignature = (secret: string, seconds: number | string, body: string | Buffer): string =>
  new Bun.CryptoHasher('sha256', secret).update(`${seconds}.`).update(body).digest('hex')

/** `v1` of `webhook-signature`: base64 over `<id>.<t>.<raw body>`, keyed with the bytes that the secret encodes. */
export const standardSignature = (
  secret: string,
  id: string,
  seconds: number | string,
  body: string | Buffer,
): string =>
  new Bun.CryptoHasher('sha256', secretBytes(secret))
    .update(`${id}.${seconds}.`)
    .update(body)
    .digest('base64')

/** A replaced secret that signs beside the current one until an instant. */
export interface EarlierSecret {
  readonly secret: string
  readonly until: number
}

export const parseEarlierSecrets = (column: string | null): EarlierSecret[] =>
  column === null ? [] : JSON.parse(column)

/** The secrets that sign at an instant, the current one first. */
export const secretsAt = (
  { secret, earlierSecrets }: { readonly secret: string; readonly earlierSecrets: string | null },
  instant: number,
): string[] => [
  secret,
  ...parseEarlierSecrets(earlierSecrets).flatMap((earlier) =>
    earlier.until > instant ? earlier.secret : [],
  ),
]

/** What the headers of an attempt depend on; `body` is sent byte for byte. */
export interface SignedDelivery {
  /** Each of them signs, in this order. */
  readonly secrets: readonly string[]
  readonly event: string
  readonly eventId: string
  readonly deliveryId: string
  readonly body: string
  /** The media type of the body; by default JSON. */
  readonly contentType?: string | null
  /** The time of this attempt. */
  readonly atMs: number
}

/** All headers of the service in an attempt, with the signatures of both schemes. */
export function signedHeaders(delivery: SignedDelivery): Record<string, string> {
  const { secrets, event, eventId, deliveryId, body, contentType } = delivery
  const seconds = Math.floor(delivery.atMs / 1000)
  const service = secrets.map((secret) => `v1=${serviceSignature(secret, seconds, body)}`)
  const standard = secrets.map((secret) => `v1,${standardSignature(secret, eventId, seconds, body)}`)
  return {
    'Content-Type': contentType ?? 'application/json',
    'User-Agent': `daybook/${VERSION}`,
    'X-Service-Event': event,
    'X-Service-Delivery': deliveryId,
    'X-Service-Signature': `t=${seconds},${service.join(',')}`,
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standard.join(' '),
  }
}
