import { nodeCrypto } from '../../lib/node-modules.ts'
import { isSecret, secretBytes, serviceSignature, standardSignature } from '../../log/message.ts'

const MAX_AGE_SECONDS = 300

/** A received delivery: headers by lower-case name, and the raw body. */
export interface ReceivedDelivery {
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** The result for one signature scheme; the signature is valid when there are no errors. */
export interface Verification {
  readonly scheme: string
  /** One sentence for each failed step of the verification. */
  readonly errors: readonly string[]
}

/** A signature scheme: the headers it needs, and how to parse them. `read` returns a sentence when parsing fails. */
interface Scheme {
  readonly name: string
  readonly headers: readonly string[]
  read(value: (header: string) => string): ParsedSignature | string
}

interface ParsedSignature {
  readonly seconds: string
  readonly signatures: readonly string[]
  readonly sign: (secret: string, body: Buffer) => string
  /** Signs with the key format of the other scheme, a common mistake. */
  readonly signWithWrongKey: (secret: string, body: Buffer) => string
  /** Describes the correct key format. */
  readonly key: string
}

const SERVICE: Scheme = {
  name: 'X-Service-Signature',
  headers: ['X-Service-Signature'],
  read: (value) => {
    const [, seconds, signatures] =
      /^t=(\d{1,12})((?:,v1=[0-9a-f]{64})+)$/.exec(value('X-Service-Signature')) ?? []
    if (seconds === undefined || signatures === undefined) {
      return 'X-Service-Signature must have the form t=<unix seconds>,v1=<64 lower-case hex characters>.'
    }
    return {
      seconds,
      signatures: signatures.split(',v1=').slice(1),
      sign: (secret, body) => serviceSignature(secret, seconds, body),
      signWithWrongKey: (secret, body) =>
        new Bun.CryptoHasher('sha256', secretBytes(secret)).update(`${seconds}.`).update(body).digest('hex'),
      key: 'the whole text of the secret, with whsec_, and not the bytes it stands for',
    }
  },
}

const STANDARD: Scheme = {
  name: 'Standard Webhooks',
  headers: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  read: (value) => {
    const [id, seconds] = [value('webhook-id'), value('webhook-timestamp')]
    if (!/^\d{1,12}$/.test(seconds)) return 'webhook-timestamp must be unix seconds.'
    const signatures = value('webhook-signature').split(' ')
    if (!signatures.every((signature) => /^v1,[A-Za-z0-9+/]{43}=$/.test(signature))) {
      return 'webhook-signature must have the form v1,<base64 of 32 bytes>.'
    }
    return {
      seconds,
      signatures: signatures.map((signature) => signature.slice('v1,'.length)),
      sign: (secret, body) => standardSignature(secret, id, seconds, body),
      signWithWrongKey: (secret, body) =>
        new Bun.CryptoHasher('sha256', secret).update(`${id}.${seconds}.`).update(body).digest('base64'),
      key: 'the bytes that the secret stands for: the base64 behind whsec_, decoded',
    }
  },
}

const SCHEMES = [SERVICE, STANDARD]

const equal = (left: string, right: string): boolean =>
  left.length === right.length && nodeCrypto().timingSafeEqual(Buffer.from(left), Buffer.from(right))

/** Alterations of bodies that frameworks and shells commonly make, with their reversal. */
const BODY_CHANGES: readonly { readonly undo: (text: string) => string; readonly hint: string }[] = [
  {
    undo: (text) => text.replace(/\r?\n$/, ''),
    hint: 'It is right for the body without the line break at its end.',
  },
  {
    undo: (text) => text.replace(/^\ufeff/, ''),
    hint: 'It is right for the body without the byte order mark.',
  },
  { undo: (text) => text.trim(), hint: 'It is right for the body without the whitespace around it.' },
  { undo: (text) => text.replaceAll('\r\n', '\n'), hint: 'It is right for the body with other line breaks.' },
  {
    undo: (text) => JSON.stringify(JSON.parse(text)),
    hint: 'It is right for the body as compact JSON: the body was parsed and serialized again. Verify the raw body.',
  },
  {
    undo: (text) => JSON.stringify(JSON.parse(JSON.parse(text))),
    hint: 'It is right for the JSON inside the body, which is a string: the body was written as JSON twice.',
  },
]

function undoChange(undo: (text: string) => string, body: Buffer): Buffer {
  try {
    return Buffer.from(undo(body.toString('utf8')))
  } catch {
    return body
  }
}

function mismatchHint(
  { sign, signWithWrongKey, signatures, key }: ParsedSignature,
  secret: string,
  body: Buffer,
): string {
  const isSigned = (signature: string) => signatures.some((sent) => equal(sent, signature))
  if (body.length === 0) return 'The body is empty; give the raw body on standard input.'
  const change = BODY_CHANGES.find(({ undo }) => isSigned(sign(secret, undoChange(undo, body))))
  if (change) return change.hint
  if (isSigned(signWithWrongKey(secret, body)))
    return `It was signed with the wrong form of the key; the key is ${key}.`
  return 'Either the secret is another one, or the body is not, byte for byte, the one that was sent.'
}

function timeError(seconds: string, nowMs: number): string | undefined {
  const age = Math.floor(nowMs / 1000) - Number(seconds)
  if (age > MAX_AGE_SECONDS) return `The signature is ${age} seconds old, and ${MAX_AGE_SECONDS} are allowed.`
  if (age < -MAX_AGE_SECONDS) {
    return `The signature is from ${-age} seconds in the future, and ${MAX_AGE_SECONDS} are allowed; is a clock wrong?`
  }
  return undefined
}

function verifyScheme(
  scheme: Scheme,
  { headers, body }: ReceivedDelivery,
  secret: string,
  nowMs: number,
): Verification {
  const value = (header: string) => headers.get(header.toLowerCase()) ?? ''
  const missing = scheme.headers.filter((header) => !headers.has(header.toLowerCase()))
  if (missing.length > 0) {
    return { scheme: scheme.name, errors: missing.map((header) => `The header ${header} is missing.`) }
  }
  const signed = scheme.read(value)
  if (typeof signed === 'string') return { scheme: scheme.name, errors: [signed] }
  const expected = signed.sign(secret, body)
  const isGood = signed.signatures.some((sent) => equal(sent, expected))
  const mismatch = isGood ? undefined : `The signature does not match. ${mismatchHint(signed, secret, body)}`
  const errors = [timeError(signed.seconds, nowMs), mismatch].filter((error) => error !== undefined)
  return { scheme: scheme.name, errors }
}

/** The error in the format of a secret, as a sentence; undefined for a valid one. */
export function secretError(secret: string): string | undefined {
  if (isSecret(secret)) return undefined
  if (isSecret(secret.trim())) return 'The secret has whitespace around it.'
  if (isSecret(`whsec_${secret}`)) return 'The secret must begin with whsec_.'
  return 'The secret must be whsec_ and the base64 of 32 bytes, as it was shown when the subscription was made.'
}

/**
 * Verifies a delivery as a receiver should, with each scheme that has at least one received header. Without any
 * signature header, verification uses `X-Service-Signature` and fails because it is missing.
 */
export function verifyDelivery(received: ReceivedDelivery, secret: string, nowMs: number): Verification[] {
  const sent = SCHEMES.filter(({ headers }) =>
    headers.some((header) => received.headers.has(header.toLowerCase())),
  )
  return (sent.length > 0 ? sent : [SERVICE]).map((scheme) => verifyScheme(scheme, received, secret, nowMs))
}
