import { timingSafeEqual } from 'node:crypto'
import { isSecret, secretBytes, serviceSignature, standardSignature } from './sign.ts'

const FRESH_SECONDS = 300

/** A delivery as a receiver got it: headers by lower-case name, and the body byte for byte. */
export interface ReceivedDelivery {
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** How one family of signatures stands; without faults it is good. */
export interface Verdict {
  readonly family: string
  /** One sentence for each step of the verification that fails. */
  readonly faults: readonly string[]
}

/** A family of signatures: which headers it needs, and what it reads out of them. */
interface Family {
  readonly name: string
  readonly headers: readonly string[]
  read(value: (header: string) => string): Signed | string
}

interface Signed {
  readonly seconds: string
  readonly signatures: readonly string[]
  readonly sign: (secret: string, body: Buffer) => string
  /** As if the other form of the key had been taken. */
  readonly signOtherwise: (secret: string, body: Buffer) => string
  /** Which form of the key is the right one, in words. */
  readonly key: string
}

const SERVICE: Family = {
  name: 'X-Service-Signature',
  headers: ['X-Service-Signature'],
  read: (value) => {
    const [, seconds, signature] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(value('X-Service-Signature')) ?? []
    if (seconds === undefined || signature === undefined) {
      return 'X-Service-Signature must have the form t=<unix seconds>,v1=<64 lower-case hex characters>.'
    }
    return {
      seconds,
      signatures: [signature],
      sign: (secret, body) => serviceSignature(secret, seconds, body),
      signOtherwise: (secret, body) =>
        new Bun.CryptoHasher('sha256', secretBytes(secret)).update(`${seconds}.`).update(body).digest('hex'),
      key: 'the whole text of the secret, with whsec_, and not the bytes it stands for',
    }
  },
}

const STANDARD: Family = {
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
      signOtherwise: (secret, body) =>
        new Bun.CryptoHasher('sha256', secret).update(`${id}.${seconds}.`).update(body).digest('base64'),
      key: 'the bytes that the secret stands for: the base64 behind whsec_, decoded',
    }
  },
}

const FAMILIES = [SERVICE, STANDARD]

const equal = (left: string, right: string): boolean =>
  left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right))

/** What happens to bodies on their way through frameworks and shells, and back. */
const CHANGES: readonly { readonly undo: (text: string) => string; readonly hint: string }[] = [
  {
    undo: (text) => text.replace(/\r?\n$/, ''),
    hint: 'It is right for the body without the line break at its end.',
  },
  {
    undo: (text) => text.replace(/^\ufeff/, ''),
    hint: 'It is right for the body without the byte order mark.',
  },
  { undo: (text) => text.trim(), hint: 'It is right for the body without the blanks around it.' },
  { undo: (text) => text.replaceAll('\r\n', '\n'), hint: 'It is right for the body with other line breaks.' },
  {
    undo: (text) => JSON.stringify(JSON.parse(text)),
    hint: 'It is right for the body as compact JSON: the body was parsed and written anew. Verify the raw body.',
  },
  {
    undo: (text) => JSON.stringify(JSON.parse(JSON.parse(text))),
    hint: 'It is right for the JSON inside the body, which is a string: the body was written as JSON twice.',
  },
]

function undone(undo: (text: string) => string, body: Buffer): Buffer {
  try {
    return Buffer.from(undo(body.toString('utf8')))
  } catch {
    return body
  }
}

function mismatchHint(
  { sign, signOtherwise, signatures, key }: Signed,
  secret: string,
  body: Buffer,
): string {
  const isSigned = (signature: string) => signatures.some((sent) => equal(sent, signature))
  if (body.length === 0) return 'The body is empty; give the raw body on standard input.'
  const change = CHANGES.find(({ undo }) => isSigned(sign(secret, undone(undo, body))))
  if (change) return change.hint
  if (isSigned(signOtherwise(secret, body)))
    return `It was made with the wrong form of the key; the key is ${key}.`
  return 'Either the secret is another one, or the body is not, byte for byte, the one that was sent.'
}

function timeFault(seconds: string, nowMs: number): string | undefined {
  const age = Math.floor(nowMs / 1000) - Number(seconds)
  if (age > FRESH_SECONDS) return `The signature is ${age} seconds old, and ${FRESH_SECONDS} are allowed.`
  if (age < -FRESH_SECONDS) {
    return `The signature is from ${-age} seconds in the future, and ${FRESH_SECONDS} are allowed; is a clock wrong?`
  }
  return undefined
}

function verdictOf(
  family: Family,
  { headers, body }: ReceivedDelivery,
  secret: string,
  nowMs: number,
): Verdict {
  const value = (header: string) => headers.get(header.toLowerCase()) ?? ''
  const missing = family.headers.filter((header) => !headers.has(header.toLowerCase()))
  if (missing.length > 0) {
    return { family: family.name, faults: missing.map((header) => `The header ${header} is missing.`) }
  }
  const signed = family.read(value)
  if (typeof signed === 'string') return { family: family.name, faults: [signed] }
  const expected = signed.sign(secret, body)
  const isGood = signed.signatures.some((sent) => equal(sent, expected))
  const mismatch = isGood ? undefined : `The signature does not match. ${mismatchHint(signed, secret, body)}`
  const faults = [timeFault(signed.seconds, nowMs), mismatch].filter((fault) => fault !== undefined)
  return { family: family.name, faults }
}

/** What is wrong with the secret itself, as a sentence. */
export function secretFault(secret: string): string | undefined {
  if (isSecret(secret)) return undefined
  if (isSecret(secret.trim())) return 'The secret has blanks around it.'
  if (isSecret(`whsec_${secret}`)) return 'The secret lacks its beginning, whsec_.'
  return 'The secret must be whsec_ and the base64 of 32 bytes, as it was shown when the subscription was made.'
}

/**
 * Verifies a delivery as a receiver should (`service.md`, Events; contract, section 7): each family of which any
 * header is there. Without any the first family is judged, and fails for its header.
 */
export function verifyDelivery(received: ReceivedDelivery, secret: string, nowMs: number): Verdict[] {
  const sent = FAMILIES.filter(({ headers }) =>
    headers.some((header) => received.headers.has(header.toLowerCase())),
  )
  return (sent.length > 0 ? sent : [SERVICE]).map((family) => verdictOf(family, received, secret, nowMs))
}
