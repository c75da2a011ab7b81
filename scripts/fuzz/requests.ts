import type { Operation, Parameter, Schema } from './document.ts'
import { aProperty, aReceiver, aRow } from './domain.ts'
import { hostileText, hostileValue, nearly } from './mutation.ts'
import { deleted, isObject, singular } from './objects.ts'
import { aNastyText } from './texts.ts'
import type { Values } from './values.ts'

/** One request, as it is sent and as it can be sent again. */
export interface Sent {
  readonly operation: Operation
  readonly method: string
  /** With its query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface Keys {
  readonly write: string
  readonly read: string
}

/** What of a request is not made to be accepted. */
type Spoilt = 'nothing' | 'path' | 'query' | 'headers' | 'body' | 'everything'

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST', 'DELETE', 'PATCH']
/** Encoded, it stays below what the HTTP parser itself refuses, without a body. */
const LONGEST_IN_URL = 8_000
const BODILESS = new Set(['GET', 'HEAD'])

/** Names of collections that are not the plural of what they hold. */
const KINDS: Readonly<Record<string, string>> = { 'quick-access': 'item' }

const ODD_HEADERS: readonly (readonly [string, string])[] = [
  ['content-type', 'text/plain'],
  ['content-type', 'multipart/form-data; boundary=x'],
  ['content-type', 'application/json; charset=utf-16'],
  ['accept', 'application/xml'],
  ['accept-encoding', 'gzip;q=0, *'],
  ['accept-language', '*'],
  ['range', 'bytes=0-1'],
  ['origin', 'null'],
  ['cookie', '__proto__=1; a=%zz'],
  ['x-http-method-override', 'DELETE'],
  ['x-request-id', "'; --"],
  ['x-forwarded-for', '::1, unknown'],
  ['if-none-match', '*'],
  ['last-event-id', '-1'],
  ['idempotency-key', '\u00ff'],
  ['expect', ''],
  ['x-long', 'x'.repeat(60_000)],
]

/** What the members of a collection are called in answers. */
export const kindIn = (collection: string) => KINDS[collection] ?? singular(collection)

/** Makes requests to the operations of the document out of what is known of them and of earlier answers. */
export class Requests {
  constructor(
    readonly operations: readonly Operation[],
    readonly values: Values,
    readonly keys: Keys,
  ) {}

  next(): Sent {
    const { random, objects } = this.values.world
    objects.beginRequest()
    const operation = random.pick(this.operations)
    const spoilt = this.#spoilt(operation)
    const method = random.chance(0.02) ? random.pick(METHODS) : operation.method
    const path = this.#path(operation, spoilt)
    const query = this.#query(operation, spoilt)
    return {
      operation,
      method,
      target: query === '' ? path : `${path}?${query}`,
      headers: this.#headers(operation, spoilt),
      body: BODILESS.has(method) ? undefined : this.#body(operation, spoilt),
    }
  }

  #spoilt({ body }: Operation): Spoilt {
    const { random } = this.values.world
    if (random.chance(0.6)) return 'nothing'
    if (random.chance(0.2)) return 'everything'
    return body && random.chance(0.75) ? 'body' : random.pick(['path', 'query', 'query', 'headers'])
  }

  #path({ path, parameters }: Operation, spoilt: Spoilt): string {
    const { random } = this.values.world
    const isStrange = spoilt === 'path' || (spoilt === 'everything' && random.chance(0.3))
    const segments = path.split('/')
    const named = segments.map((segment, at) => {
      if (!segment.startsWith('{')) return undefined
      const collection = segments.slice(0, at).findLast((before) => !before.startsWith('{')) ?? ''
      return this.#named(collection, segment, path, parameters)
    })
    const parent = named.at(segments.findLastIndex((segment) => segment.startsWith('{')))?.parent
    const first = named.findIndex((found) => found !== undefined)
    const filled = segments.map((segment, at) => {
      const found = named[at]
      if (!found) return segment
      if (isStrange) return this.#encoded(aNastyText(random))
      const isOwner = at === first && parent !== undefined && found.parent === undefined
      return encodeURIComponent((isOwner ? parent : found.text).toWellFormed())
    })
    return filled.join('/')
  }

  /** What stands for one object in a path, and what the object belongs to. */
  #named(collection: string, segment: string, path: string, parameters: readonly Parameter[]) {
    const { random, objects } = this.values.world
    const kind = kindIn(collection)
    const isDeleted = path.endsWith(`/${segment}/restore`) && random.chance(0.8)
    const object = objects.any(isDeleted ? deleted(kind) : kind)
    const members = ['id', 'name', 'key'].filter((member) => segment.toLowerCase().includes(member))
    const value = object?.[random.pick(members.length > 0 ? members : ['id'])]
    const example = parameters.find(({ name }) => `{${name}}` === segment)?.example
    const parent = typeof object?.parent === 'string' ? object.parent : undefined
    return { text: String(value ?? example ?? aNastyText(random)), parent }
  }

  /** As a careful client encodes, or as a careless one, whose percent signs and slashes stay. */
  #encoded(whole: string): string {
    const { random } = this.values.world
    const text = whole.slice(0, LONGEST_IN_URL)
    if (random.chance(0.5)) return encodeURIComponent(text.toWellFormed())
    return encodeURI(text.toWellFormed()).replaceAll('%25', '%')
  }

  #query({ id, parameters }: Operation, spoilt: Spoilt): string {
    const { random } = this.values.world
    const place = { operationId: id, isQuery: true }
    const known = parameters.filter((parameter) => parameter.in === 'query')
    const chosen = known.filter(({ required }) => required || random.chance(0.35))
    const pairs = chosen.map(({ name, schema }) => [name, String(this.values.named(name, schema, place))])
    if (spoilt === 'query' || (spoilt === 'everything' && random.chance(0.5))) this.#spoil(pairs)
    return pairs
      .map(([name = '', value = '']) => `${this.#encoded(name)}=${this.#careful(value, spoilt)}`)
      .join('&')
  }

  #careful(value: string, spoilt: Spoilt): string {
    return spoilt === 'everything'
      ? this.#encoded(value)
      : encodeURIComponent(value.slice(0, LONGEST_IN_URL).toWellFormed())
  }

  #spoil(pairs: string[][]): void {
    const { random } = this.values.world
    const pair = pairs.length > 0 ? random.pick(pairs) : undefined
    if (pair && random.chance(0.7))
      pair[1] = random.chance(0.3) ? JSON.stringify(hostileValue(random)) : aNastyText(random)
    else if (pair && random.chance(0.4)) pairs.push([...pair])
    else pairs.push([aNastyText(random), aNastyText(random)])
  }

  #headers(operation: Operation, spoilt: Spoilt): Record<string, string> {
    const { random } = this.values.world
    const { write, read } = this.keys
    const sent: Record<string, string> = {}
    const key = random.chance(0.85) ? write : read
    if (!random.chance(0.01)) sent.authorization = `Bearer ${key}`
    else if (random.chance(0.5))
      sent.authorization = random.pick([key, `Basic ${key}`, `Bearer  ${key} x`, 'Bearer'])
    const takesKey = operation.parameters.some((parameter) => parameter.in === 'header')
    if (takesKey && random.chance(0.15))
      sent['idempotency-key'] = random.pick(['a', 'b', 'c', ' ', 'x'.repeat(256)])
    if (spoilt === 'headers' || (spoilt === 'everything' && random.chance(0.2))) {
      const [name, value] = random.pick(ODD_HEADERS)
      sent[name] = value
    }
    return sent
  }

  #body({ id, body }: Operation, spoilt: Spoilt): string | undefined {
    const { random } = this.values.world
    if (!body) return spoilt === 'everything' ? hostileText(random, {}) : random.pick([undefined, '{}'])
    const place = { operationId: id, isQuery: false }
    const made = random.chance(0.1) && body.example ? body.example : this.values.fitting(body.schema, place)
    const fitting = this.#consistent(id, body.schema, made)
    if (spoilt === 'body') return JSON.stringify(nearly(random, fitting))
    if (spoilt !== 'everything') return JSON.stringify(fitting)
    return hostileText(
      random,
      random.chance(0.5) ? nearly(random, nearly(random, fitting)) : hostileValue(random),
    )
  }

  /** What members must be to each other, where the schema leaves it open. */
  #consistent(operationId: string, { properties = {} }: Schema, body: unknown): unknown {
    const { random } = this.values.world
    if (!isObject(body)) return body
    if ('url' in body) return { ...body, url: aReceiver(this.values.world) }
    if (operationId === 'createProperty') return { ...body, ...aProperty(this.values.world) }
    if (!('data' in properties && 'rows' in properties)) return body
    const { data, rows, ...rest } = body
    return random.chance(0.5)
      ? { ...rest, data: aRow(this.values.world) }
      : { ...rest, rows: random.list(4, () => ({ data: aRow(this.values.world) })) }
  }
}
