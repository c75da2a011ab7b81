import { aProperty, aReceiver, aRow } from './domain-values.ts'
import { deleted, isObject, singular } from './known-objects.ts'
import { hostileText, hostileValue, mutate } from './mutation.ts'
import type { Operation, Parameter } from './openapi.ts'
import type { SchemaValues } from './schema-values.ts'
import { aHostileText } from './texts.ts'

export interface FuzzRequest {
  readonly operation: Operation
  readonly method: string
  /** The path with the query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface Keys {
  readonly write: string
  readonly read: string
}

/** The part of a request that is deliberately invalid. */
type InvalidPart = 'nothing' | 'path' | 'query' | 'headers' | 'body' | 'everything'

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST', 'DELETE', 'PATCH']
/** Even when encoded, below the HTTP parser's limit for a request without a body. */
const MAX_URL_PART = 8_000
const WITHOUT_BODY = new Set(['GET', 'HEAD'])

/** Collections whose name is not the plural of their objects. */
const KINDS: Readonly<Record<string, string>> = { 'quick-access': 'item' }

const UNUSUAL_HEADERS: readonly (readonly [string, string])[] = [
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

/** Returns the name of a collection's objects in responses. */
export const kindOf = (collection: string) => KINDS[collection] ?? singular(collection)

/** Generates requests from the operations of the document and the objects in earlier responses. */
export class Requests {
  constructor(
    readonly operations: readonly Operation[],
    readonly values: SchemaValues,
    readonly keys: Keys,
  ) {}

  next(): FuzzRequest {
    const { random, objects } = this.values.context
    objects.beginRequest()
    const operation = random.pick(this.operations)
    const invalid = this.#invalid(operation)
    const method = random.chance(0.02) ? random.pick(METHODS) : operation.method
    const path = this.#path(operation, invalid)
    const query = this.#query(operation, invalid)
    return {
      operation,
      method,
      target: query === '' ? path : `${path}?${query}`,
      headers: this.#headers(operation, invalid),
      body: WITHOUT_BODY.has(method) ? undefined : this.#body(operation, invalid),
    }
  }

  #invalid({ body }: Operation): InvalidPart {
    const { random } = this.values.context
    if (random.chance(0.6)) return 'nothing'
    if (random.chance(0.2)) return 'everything'
    return body && random.chance(0.75) ? 'body' : random.pick(['path', 'query', 'query', 'headers'])
  }

  #path({ path, parameters }: Operation, invalid: InvalidPart): string {
    const { random } = this.values.context
    const isHostile = invalid === 'path' || (invalid === 'everything' && random.chance(0.3))
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
      if (isHostile) return this.#encoded(aHostileText(random))
      const isOwner = at === first && parent !== undefined && found.parent === undefined
      return encodeURIComponent((isOwner ? parent : found.text).slice(0, MAX_URL_PART).toWellFormed())
    })
    return filled.join('/')
  }

  /** Returns the text of one path parameter, and the parent of the object it refers to. */
  #named(collection: string, segment: string, path: string, parameters: readonly Parameter[]) {
    const { random, objects } = this.values.context
    const kind = kindOf(collection)
    const isDeleted = path.endsWith(`/${segment}/restore`) && random.chance(0.8)
    const object = objects.any(isDeleted ? deleted(kind) : kind)
    const members = ['id', 'name', 'key'].filter((member) => segment.toLowerCase().includes(member))
    const value = object?.[random.pick(members.length > 0 ? members : ['id'])]
    const described = parameters.find(({ name }) => `{${name}}` === segment)
    const example = described?.example ?? described?.schema.examples?.[0]
    const parent = typeof object?.parent === 'string' ? object.parent : undefined
    return { text: String(value ?? example ?? aHostileText(random)), parent }
  }

  /** Encodes properly, or like a careless client, which leaves percent signs and slashes unencoded. */
  #encoded(whole: string): string {
    const { random } = this.values.context
    const text = whole.slice(0, MAX_URL_PART)
    if (random.chance(0.5)) return encodeURIComponent(text.toWellFormed())
    return encodeURI(text.toWellFormed()).replaceAll('%25', '%')
  }

  #query({ id, parameters }: Operation, invalid: InvalidPart): string {
    const { random } = this.values.context
    const place = { operationId: id, isQuery: true }
    const known = parameters.filter((parameter) => parameter.in === 'query')
    const chosen = known.filter(({ required }) => required || random.chance(0.35))
    const pairs = chosen.map(({ name, schema }) => [name, String(this.values.named(name, schema, place))])
    if (invalid === 'query' || (invalid === 'everything' && random.chance(0.5))) this.#makeQueryInvalid(pairs)
    return pairs
      .map(([name = '', value = '']) => `${this.#encoded(name)}=${this.#encodedValue(value, invalid)}`)
      .join('&')
  }

  #encodedValue(value: string, invalid: InvalidPart): string {
    return invalid === 'everything'
      ? this.#encoded(value)
      : encodeURIComponent(value.slice(0, MAX_URL_PART).toWellFormed())
  }

  #makeQueryInvalid(pairs: string[][]): void {
    const { random } = this.values.context
    const pair = pairs.length > 0 ? random.pick(pairs) : undefined
    if (pair && random.chance(0.7))
      pair[1] = random.chance(0.3) ? JSON.stringify(hostileValue(random)) : aHostileText(random)
    else if (pair && random.chance(0.4)) pairs.push([...pair])
    else pairs.push([aHostileText(random), aHostileText(random)])
  }

  #headers(operation: Operation, invalid: InvalidPart): Record<string, string> {
    const { random } = this.values.context
    const { write, read } = this.keys
    const sent: Record<string, string> = {}
    const key = random.chance(0.85) ? write : read
    if (!random.chance(0.01)) sent.authorization = `Bearer ${key}`
    else if (random.chance(0.5))
      sent.authorization = random.pick([key, `Basic ${key}`, `Bearer  ${key} x`, 'Bearer'])
    const takesKey = operation.parameters.some((parameter) => parameter.in === 'header')
    if (takesKey && random.chance(0.15))
      sent['idempotency-key'] = random.pick(['a', 'b', 'c', ' ', 'x'.repeat(256)])
    if (invalid === 'headers' || (invalid === 'everything' && random.chance(0.2))) {
      const [name, value] = random.pick(UNUSUAL_HEADERS)
      sent[name] = value
    }
    return sent
  }

  #body({ id, body }: Operation, invalid: InvalidPart): string | undefined {
    const { random } = this.values.context
    if (!body) return invalid === 'everything' ? hostileText(random, {}) : random.pick([undefined, '{}'])
    const place = { operationId: id, isQuery: false }
    const made = random.chance(0.1) && body.example ? body.example : this.values.valid(body.schema, place)
    const valid = this.#consistent(id, made)
    if (invalid === 'body') return JSON.stringify(mutate(random, valid))
    if (invalid !== 'everything') return JSON.stringify(valid)
    return hostileText(
      random,
      random.chance(0.5) ? mutate(random, mutate(random, valid)) : hostileValue(random),
    )
  }

  /** Makes members consistent with each other where the schema does not require it. */
  #consistent(operationId: string, body: unknown): unknown {
    const { random } = this.values.context
    if (!isObject(body)) return body
    if ('url' in body) return { ...body, url: aReceiver(this.values.context) }
    if (operationId === 'createProperty') return { ...body, ...aProperty(this.values.context) }
    if (operationId !== 'writeRecords') return body
    return 'data' in body
      ? { ...body, data: aRow(this.values.context) }
      : { ...body, rows: random.list(4, () => ({ data: aRow(this.values.context) })) }
  }
}
