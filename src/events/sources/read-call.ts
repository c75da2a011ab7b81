import { isObject } from '../../lib/json.ts'
import { invalid, Refusal, refused } from '../../lib/refusal.ts'
import { sha256 } from '../../lib/sha256.ts'
import { parsedJson, WRITE_LIMITS } from '../../lib/storable-json.ts'
import { withCommas } from '../../lib/text.ts'
import type { OrderedJson } from './map.ts'
import { type Call, headerOf, placeOfId, providerOf } from './providers.ts'
import type { SourceRow } from './store.ts'

/** A verified and parsed call. */
export interface ReadCall extends Pick<Call, 'headers'> {
  /** The JSON value of the body, or the fields of a form as an object. */
  readonly body: unknown
  /** The JSON text of that value; absent where there is none. */
  readonly text?: string
  /** The type of the event. */
  readonly event: string | null
  /** That text with its key order, set on first use. */
  ordered?: OrderedJson
}

export interface Reading extends Pick<Call, 'headers'> {
  readonly externalId: string | null
  readonly event: string | null
  /** Undefined for an unreadable body; `error` gives the reason. */
  readonly call: ReadCall | undefined
  readonly error: string | null
}

type Placing = Pick<SourceRow, 'provider' | 'externalId' | 'event'>

/** Parses a verified call. A call with an unreadable body has no id. */
export function readCall(source: Placing, call: Call): Reading {
  const { headers } = call
  try {
    const { body, text } = bodyOf(call)
    const event = eventIn(source, { headers, body })
    return {
      call: { headers, body, event, ...(text !== undefined && { text }) },
      event,
      externalId: idIn(source, call, body),
      error: null,
      headers,
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const event = eventIn(source, { headers, body: undefined })
    return { call: undefined, event, externalId: null, error: error.message, headers }
  }
}

const MAX_EVENT_LENGTH = 200
const MAX_ID_LENGTH = 500

const placeIn = (text: string | null | undefined): Place | undefined =>
  typeof text === 'string' ? parsePlace(text, 'The place') : undefined

/** The type of an event; also used when a map or a condition is tried. */
export function eventIn(
  { provider, event }: Placing,
  call: Pick<ReadCall, 'headers' | 'body'>,
): string | null {
  const place = placeIn(providerOf(provider).places?.event ?? event)
  return place ? (textOf(valueAt(place, call))?.slice(0, MAX_EVENT_LENGTH).toWellFormed() ?? null) : null
}

function idIn({ provider, externalId }: Placing, call: Call, body: unknown): string | null {
  const place = placeIn(placeOfId(provider, call) ?? externalId)
  const found = place && valueAt(place, { headers: call.headers, body })
  // Unsafe integers are rounded, so different ids could appear equal.
  if (Number.isInteger(found) && !Number.isSafeInteger(found)) return `sha256:${sha256(call.body)}`
  const id = textOf(found)
  if (id === undefined) return null
  return id.length > MAX_ID_LENGTH || !id.isWellFormed() ? `sha256:${sha256(id)}` : id
}

const textOf = (value: unknown): string | undefined =>
  (typeof value === 'string' || typeof value === 'number') && value !== ''
    ? String(value).replaceAll('\0', '\ufffd')
    : undefined

interface Body {
  readonly body: unknown
  /** Its JSON text, unless the body is a form. */
  readonly text?: string
}

/** The JSON value of a body. For a form it is the object of its fields, or the JSON in its field `payload`. */
function bodyOf(call: Call): Body {
  const text = decoded(call.body)
  if (text === '') throw refused('The body is empty.')
  const type = headerOf(call, 'content-type') ?? ''
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type)
  return isForm ? formOf(text) : { body: parsedJson(text, 'The body', WRITE_LIMITS), text }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refused('The body is not valid UTF-8.')
  }
}

/** Far more fields than real forms have; parsing more would delay other writes. */
const MAX_FORM_FIELDS = 10_000

function checkFields(text: string): void {
  let fields = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) fields += 1
  if (fields > MAX_FORM_FIELDS) throw refused(`The form has more than ${withCommas(MAX_FORM_FIELDS)} fields.`)
}

function formOf(text: string): Body {
  checkFields(text)
  const fields = new Map<string, string | string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const known = fields.get(name)
    if (Array.isArray(known)) known.push(value)
    else fields.set(name, known === undefined ? value : [known, value])
  }
  const payload = fields.get('payload')
  const form = Object.fromEntries(fields)
  return typeof payload === 'string' ? jsonOr(payload, form) : { body: form }
}

function jsonOr(text: string, form: object): Body {
  try {
    return { body: parsedJson(text, 'The field "payload"', WRITE_LIMITS), text }
  } catch (error) {
    // JSON that is nested too deeply is still JSON.
    if (error instanceof Refusal && error.data.reason !== 'not_json') throw error
    return { body: form }
  }
}

/** The text with which Slack verifies that its app owns the URL; undefined for any other call. */
export function challengeIn(provider: string, call: Call): string | undefined {
  if (provider !== 'slack' || call.body.byteLength > MAX_CHALLENGE_BYTES) return undefined
  const { call: read } = readCall({ provider, externalId: null, event: null }, call)
  const body = read?.body
  return isObject(body) && body.type === 'url_verification' && typeof body.challenge === 'string'
    ? body.challenge
    : undefined
}

const MAX_CHALLENGE_BYTES = 65_536

/** The position of a value: a JSON pointer into the body, or a header. */
export type Place = { readonly path: string } | { readonly header: string }

const MAX_PLACE_LENGTH = 1_000
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/s
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Parses a position in API format, `/pointer` or `header:Name`; `where` names it in the refusal. */
export function parsePlace(sent: unknown, where: string): Place {
  if (typeof sent === 'string') {
    const header = /^header:(.*)$/s.exec(sent)?.[1]
    return header === undefined ? checkedPath(sent, where) : checkedHeader(header, where)
  }
  throw invalid(`${where} must be a JSON pointer such as /id, or "header:" and the name of a header.`)
}

export function checkedPath(path: unknown, where: string): Place {
  if (typeof path === 'string' && path.length <= MAX_PLACE_LENGTH && POINTER.test(path)) return { path }
  throw invalid(`${where} must be a JSON pointer such as /id, or "header:" and the name of a header.`)
}

export function checkedHeader(header: unknown, where: string): Place {
  if (typeof header === 'string' && header.length <= MAX_PLACE_LENGTH && HEADER.test(header))
    return { header }
  throw invalid(`${where} must name a header, such as X-Id.`)
}

/** The value at a position; undefined for a missing value and for null. */
export function valueAt(place: Place, call: Pick<ReadCall, 'headers' | 'body'>): unknown {
  if ('header' in place) return headerOf(call, place.header)
  return keysOf(place.path).reduce(memberOf, call.body) ?? undefined
}

/** The keys of a JSON pointer. */
export const keysOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))

function memberOf(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}
