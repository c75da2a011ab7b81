import { isObject } from '../lib/json.ts'
import { invalid } from '../refusal.ts'
import { type Call, headerOf } from './providers.ts'

/** A call that was verified and read. */
export interface ReadCall extends Pick<Call, 'headers'> {
  /** The JSON value of the body, or its form as an object. */
  readonly body: unknown
  /** The JSON text of that value; absent where there is none. */
  readonly text?: string
  /** The type of the event. */
  readonly event: string | null
  /** That text with its order, once it was needed. */
  ordered?: OrderedJson
}

/** Where a value is: a JSON pointer into the body, or a header. */
export type Place = { readonly path: string } | { readonly header: string }

const MAX_PLACE_LENGTH = 1_000
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/s
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** A place as it is sent, `/pointer` or `header:Name`; `where` names it in the refusal. */
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

/** What is at a place; undefined where nothing is, or null. */
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

/*
 * JSON whose keys are in the order in which they came. Objects of the language put keys that are numbers first, so such keys
 * are given a mark while the text is parsed and written. An escaped quote never begins a key.
 */

const NUMBER_KEY = /(?<!\\)"(?=\d+"\s*:)/

/** Whether the language would change the order of some keys of a JSON text. */
export const hasNumberKeys = (text: string): boolean => NUMBER_KEY.test(text)

/** A JSON text, parsed with its order. */
export class OrderedJson {
  /** In no text. */
  readonly #mark = crypto.randomUUID()
  readonly #value: unknown

  constructor(text: string) {
    this.#value = JSON.parse(text.replace(new RegExp(NUMBER_KEY, 'g'), `"${this.#mark}`))
  }

  /** The value at these keys, as compact JSON. */
  at(keys: readonly string[]): string {
    const memberOf = (value: unknown, key: string) =>
      (value as Record<string, unknown>)[Array.isArray(value) || !/^\d+$/.test(key) ? key : this.#mark + key]
    return JSON.stringify(keys.reduce(memberOf, this.#value)).replaceAll(`"${this.#mark}`, '"')
  }
}
