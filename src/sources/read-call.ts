import { parsedJson } from '../http/storable-json.ts'
import { isObject } from '../lib/json.ts'
import { sha256 } from '../lib/sha256.ts'
import { Refusal, refused } from '../refusal.ts'
import { type Place, parsePlace, type ReadCall, valueAt } from './map.ts'
import { type Call, headerOf, placeOfId, providerOf } from './providers.ts'
import type { SourceRow } from './store.ts'

export interface Reading {
  readonly externalId: string | null
  readonly event: string | null
  /** Undefined for a body that cannot be read; `error` says why. */
  readonly call: ReadCall | undefined
  readonly error: string | null
}

type Placing = Pick<SourceRow, 'provider' | 'externalId' | 'event'>

/** Reads a call that was verified. What cannot be read has no id. */
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
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const event = eventIn(source, { headers, body: undefined })
    return { call: undefined, event, externalId: null, error: error.message }
  }
}

const MAX_EVENT_LENGTH = 200
const MAX_ID_LENGTH = 500

const placeIn = (text: string | null | undefined): Place | undefined =>
  typeof text === 'string' ? parsePlace(text, 'The place') : undefined

/** The type of an event, with which a map or a condition is tried, too. */
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
  // Such numbers are rounded: others would be taken for the same.
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
  /** Its JSON text, unless it is a form. */
  readonly text?: string
}

/** The JSON value of a body; of a form the object of its fields, or the JSON in its field `payload`. */
function bodyOf(call: Call): Body {
  const text = decoded(call.body)
  if (text === '') throw refused('The body is empty.')
  const type = headerOf(call, 'content-type') ?? ''
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type)
  return isForm ? formOf(text) : { body: parsedJson(text, 'The body'), text }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refused('The body is not valid UTF-8.')
  }
}

function formOf(text: string): Body {
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
    return { body: parsedJson(text, 'The field "payload"'), text }
  } catch (error) {
    // One that is nested too deeply is JSON all the same.
    if (error instanceof Refusal && !error.message.endsWith('JSON.')) throw error
    return { body: form }
  }
}

/** The text with which Slack asks whether the URL is its app's; undefined for any other call. */
export function challengeIn(provider: string, call: Call): string | undefined {
  if (provider !== 'slack' || call.body.byteLength > MAX_CHALLENGE_BYTES) return undefined
  const { call: read } = readCall({ provider, externalId: null, event: null }, call)
  const body = read?.body
  return isObject(body) && body.type === 'url_verification' && typeof body.challenge === 'string'
    ? body.challenge
    : undefined
}

const MAX_CHALLENGE_BYTES = 65_536
