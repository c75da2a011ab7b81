import { Type } from '@sinclair/typebox'
import { t } from '../../http/schema/types.ts'
import { createCheck, type SchemaCheck } from '../../http/validation.ts'
import { nodeCrypto } from '../../lib/node-modules.ts'
import { sha256 } from '../../lib/sha256.ts'

/** A received call: its headers by lower-case name, repeated headers joined with commas, and the raw body. */
export interface Call {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

export const headerOf = ({ headers }: Pick<Call, 'headers'>, name: string): string | undefined =>
  headers.find(([known]) => known === name.toLowerCase())?.[1]

/** The options of a source; the provider determines which ones apply. */
export interface Options {
  readonly header?: string
  readonly algorithm?: 'sha1' | 'sha256' | 'sha512'
  readonly encoding?: 'hex' | 'base64'
  readonly prefix?: string
  readonly user?: string
  readonly unverified?: true
}

/** The input of a verification in addition to the call. */
interface Known {
  readonly secret: string
  readonly options: Options
  readonly nowMs: number
}

interface Provider {
  /** The positions of an event's id and type; a source of another provider may set them itself. */
  readonly places?: { readonly externalId: string; readonly event: string }
  /** Its options; none unless given. */
  readonly options?: SchemaCheck
  /** The format of its secrets, if not every text is valid: completes "must be …". */
  readonly secret?: { readonly isValid: (secret: string) => boolean; readonly says: string }
  /** The headers that hold its signatures. */
  signatures(options: Options): readonly string[]
  verify(call: Call, known: Known): boolean
  /** The type of events that only test the URL. */
  readonly ping?: string
}

export const SIGNED_WITHIN_SECONDS = 300

/** Compares digests, so that the duration does not reveal where the texts differ. */
const isEqual = (left: string, right: string): boolean =>
  nodeCrypto().timingSafeEqual(Buffer.from(sha256(left)), Buffer.from(sha256(right)))

const hmac = (
  algorithm: string,
  key: string | Uint8Array,
  encoding: 'hex' | 'base64',
  ...parts: readonly (string | Uint8Array)[]
): string =>
  parts.reduce((sum, part) => sum.update(part), nodeCrypto().createHmac(algorithm, key)).digest(encoding)

const isRecent = (seconds: string, nowMs: number): boolean =>
  /^\d{1,12}$/.test(seconds) && Math.abs(Math.floor(nowMs / 1_000) - Number(seconds)) <= SIGNED_WITHIN_SECONDS

/** Compares all entries, so that the duration does not reveal which one matches. */
const isAmong = (expected: string, sent: readonly string[]): boolean =>
  sent.filter((signature) => isEqual(signature, expected)).length > 0

/** Parses `t=<seconds>,v1=<hex>,v1=…`; a repeated header contains two times. */
function verifyStripe(call: Call, { secret, nowMs }: Known): boolean {
  const parts = (headerOf(call, 'stripe-signature') ?? '').split(',')
  const valuesOf = (name: string) =>
    parts.flatMap((part) => (part.startsWith(`${name}=`) ? part.slice(name.length + 1) : []))
  const [seconds = '', ...others] = valuesOf('t')
  if (others.length > 0 || parts.some((part) => !/^\w+=\S+$/.test(part)) || !isRecent(seconds, nowMs))
    return false
  return isAmong(hmac('sha256', secret, 'hex', `${seconds}.`, call.body), valuesOf('v1'))
}

/** The bytes that a Standard Webhooks secret encodes. */
const standardKey = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
const STANDARD_SIGNATURES = /^v\w+,[\w+/=-]+(?: v\w+,[\w+/=-]+)*$/

/** Svix, where the scheme originates, has its own prefix. */
const standardPrefix = (call: Call): string => (headerOf(call, 'webhook-id') ? 'webhook' : 'svix')

function verifyStandard(call: Call, { secret, nowMs }: Known): boolean {
  const prefix = standardPrefix(call)
  const [id, seconds, signatures] = ['id', 'timestamp', 'signature'].map(
    (name) => headerOf(call, `${prefix}-${name}`) ?? '',
  ) as [string, string, string]
  if (id === '' || !isRecent(seconds, nowMs) || !STANDARD_SIGNATURES.test(signatures)) return false
  const expected = hmac('sha256', standardKey(secret), 'base64', `${id}.${seconds}.`, call.body)
  return isAmong(`v1,${expected}`, signatures.split(' '))
}

function verifySlack(call: Call, { secret, nowMs }: Known): boolean {
  const seconds = headerOf(call, 'x-slack-request-timestamp') ?? ''
  const sent = headerOf(call, 'x-slack-signature') ?? ''
  return (
    isRecent(seconds, nowMs) &&
    isEqual(sent, `v0=${hmac('sha256', secret, 'hex', `v0:${seconds}:`, call.body)}`)
  )
}

function verifyHmac(call: Call, { secret, options }: Known): boolean {
  const { header = '', algorithm = 'sha256', encoding = 'hex', prefix = '' } = options
  const sent = headerOf(call, header)
  if (!sent?.startsWith(prefix)) return false
  const signature = sent.slice(prefix.length)
  // Some providers write hexadecimal digits in upper case, but none mixes cases.
  const isUpper = encoding === 'hex' && signature === signature.toUpperCase()
  const expected = hmac(algorithm, secret, encoding, call.body)
  return isEqual(isUpper ? signature.toLowerCase() : signature, expected)
}

/** The text after the scheme in `Authorization`. */
const credentials = (call: Call, scheme: string): string | undefined =>
  new RegExp(`^${scheme} +(\\S+) *$`, 'i').exec(headerOf(call, 'authorization') ?? '')?.[1]

const AUTHORIZATION = ['authorization']
const headerName = () =>
  t.text({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$", says: 'the name of a header' })

/** Schemes by provider. */
export const PROVIDERS = {
  stripe: {
    places: { externalId: '/id', event: '/type' },
    signatures: () => ['stripe-signature'],
    verify: verifyStripe,
  },
  github: {
    places: { externalId: 'header:X-GitHub-Delivery', event: 'header:X-GitHub-Event' },
    ping: 'ping',
    signatures: () => ['x-hub-signature-256', 'x-hub-signature'],
    verify: (call, { secret }) =>
      isEqual(
        headerOf(call, 'x-hub-signature-256') ?? '',
        `sha256=${hmac('sha256', secret, 'hex', call.body)}`,
      ),
  },
  standard: {
    places: { externalId: 'header:webhook-id', event: '/type' },
    secret: {
      isValid: (secret) => /^(?:whsec_)?[A-Za-z0-9+/]+={0,2}$/.test(secret) && standardKey(secret).length > 0,
      says: 'whsec_ and base64, as the sender shows it',
    },
    signatures: () => ['webhook-signature', 'svix-signature'],
    verify: verifyStandard,
  },
  shopify: {
    places: { externalId: 'header:X-Shopify-Webhook-Id', event: 'header:X-Shopify-Topic' },
    signatures: () => ['x-shopify-hmac-sha256'],
    verify: (call, { secret }) =>
      isEqual(headerOf(call, 'x-shopify-hmac-sha256') ?? '', hmac('sha256', secret, 'base64', call.body)),
  },
  slack: {
    places: { externalId: '/event_id', event: '/event/type' },
    signatures: () => ['x-slack-signature'],
    verify: verifySlack,
  },
  hmac: {
    options: createCheck(
      'body',
      t.strict({
        header: headerName(),
        algorithm: t.choice(['sha1', 'sha256', 'sha512']),
        encoding: t.choice(['hex', 'base64']),
        prefix: Type.Optional(t.text({ maxLength: 100, singleLine: true })),
      }),
    ),
    signatures: ({ header = '' }) => [header.toLowerCase()],
    verify: verifyHmac,
  },
  basic: {
    options: createCheck(
      'body',
      t.strict({
        user: t.text({
          maxLength: 1_000,
          singleLine: true,
          check: (user) => !user.includes(':'),
          says: 'a text of at most 1,000 characters without a colon',
        }),
      }),
    ),
    signatures: () => AUTHORIZATION,
    verify: (call, { secret, options: { user } }) =>
      isEqual(credentials(call, 'basic') ?? '', Buffer.from(`${user}:${secret}`).toString('base64')),
  },
  bearer: {
    secret: { isValid: (secret) => /^[!-~]+$/.test(secret), says: 'printable ASCII without spaces' },
    signatures: () => AUTHORIZATION,
    verify: (call, { secret }) => isEqual(credentials(call, 'bearer') ?? '', secret),
  },
  none: {
    options: createCheck('body', t.strict({ unverified: Type.Literal(true) })),
    signatures: () => [],
    verify: () => true,
  },
} as const satisfies Readonly<Record<string, Provider>>

export type ProviderName = keyof typeof PROVIDERS
export const PROVIDER_NAMES = Object.keys(PROVIDERS) as ProviderName[]
export const providerOf = (name: string): Provider => PROVIDERS[name as ProviderName]

/** Headers that responses never show, because they hold signatures and credentials. */
const PRIVATE = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  ...Object.values(PROVIDERS).flatMap((provider) => (provider as Provider).signatures({})),
])

/** Names of headers in which services send their own credentials. */
const SECRET_NAME = /token|key|secret|auth|signature/

/** The headers of a call without those that authenticate the sender. */
export function shownHeaders({ headers }: Pick<Call, 'headers'>, name: string, options: Options) {
  const own = providerOf(name).signatures(options)
  const isPrivate = (header: string) =>
    PRIVATE.has(header) || SECRET_NAME.test(header) || own.includes(header)
  return headers.filter(([header]) => !isPrivate(header))
}

/** The position of an event's id. For Standard Webhooks, the sender's prefix determines the header. */
export const placeOfId = (name: string, call: Call): string | undefined =>
  name === 'standard' ? `header:${standardPrefix(call)}-id` : providerOf(name).places?.externalId
