/*
 * Compares two OpenAPI documents of this API: a client of the old one must keep working with the new one. The set of
 * accepted requests may only grow. Responses may only gain attributes, endpoints and variants.
 */

type Json = Record<string, unknown>

/** `sent` by clients, or `answered` by the server. */
type Direction = 'sent' | 'answered'

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const objectOf = (value: unknown): Json => (isObject(value) ? value : {})
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const namesIn = (value: unknown) => Object.keys(objectOf(value))

function resolve(document: Json, value: unknown): Json {
  const { $ref } = objectOf(value)
  if (typeof $ref !== 'string') return objectOf(value)
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, part) => objectOf(at)[part.replaceAll('~1', '/').replaceAll('~0', '~')], document)
  return resolve(document, found)
}

/** Lower limits, then upper limits. */
const LOWEST = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const HIGHEST = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']

class Comparison {
  readonly problems: string[] = []
  readonly #running = new Set<string>()

  constructor(
    readonly before: Json,
    readonly after: Json,
  ) {}

  /** Compares with a copy that collects its own problems, to test whether two schemas agree. */
  #agree(before: unknown, after: unknown, direction: Direction): boolean {
    const trial = new Comparison(this.before, this.after)
    for (const pair of this.#running) trial.#running.add(pair)
    trial.schema(before, after, direction, '')
    return trial.problems.length === 0
  }

  schema(beforeRaw: unknown, afterRaw: unknown, direction: Direction, where: string): void {
    const pair = `${direction} ${JSON.stringify(beforeRaw)} ${JSON.stringify(afterRaw)}`
    // Tree schemas are recursive.
    if (this.#running.has(pair)) return
    this.#running.add(pair)
    const [before, after] = [resolve(this.before, beforeRaw), resolve(this.after, afterRaw)]
    if (hasVariants(before) || hasVariants(after)) this.#variants(before, after, direction, where)
    else this.#plain(before, after, direction, where)
    this.#running.delete(pair)
  }

  #variants(before: Json, after: Json, direction: Direction, where: string): void {
    const now = variantsOf(after)
    for (const [at, variant] of variantsOf(before).entries()) {
      if (!now.some((candidate) => this.#agree(variant, candidate, direction)))
        this.problems.push(`${where}: variant ${at + 1} is gone or narrower`)
    }
  }

  #plain(before: Json, after: Json, direction: Direction, where: string): void {
    this.#values(before, after, where)
    if (direction === 'sent') this.#limits(before, after, where)
    this.#properties(before, after, direction, where)
    if (isObject(before.items)) this.schema(before.items, after.items, direction, `${where}[]`)
  }

  /** Checks that all previous types, constants and options still exist. */
  #values(before: Json, after: Json, where: string): void {
    const gone = (left: unknown[], right: unknown[]) => left.filter((value) => !right.includes(value))
    const types = [after.type].flat()
    const lost = gone([before.type].flat(), types.includes('number') ? [...types, 'integer'] : types)
    if (after.type !== undefined && before.type !== undefined && lost.length > 0)
      this.problems.push(`${where}: type ${lost.join(', ')} is gone`)
    if (
      before.type !== undefined &&
      after.type === undefined &&
      Object.keys(after).length > 0 &&
      !optionsOf(after)
    )
      this.problems.push(`${where}: has no type`)
    const options = optionsOf(after)
    if (!options) return
    const missing = gone(optionsOf(before) ?? ['any value'], options)
    if (missing.length > 0) this.problems.push(`${where}: ${missing.join(', ')} is gone`)
  }

  #limits(before: Json, after: Json, where: string): void {
    for (const limit of LOWEST) {
      const now = after[limit]
      if (typeof now === 'number' && !(Number(before[limit] ?? Number.NEGATIVE_INFINITY) >= now))
        this.problems.push(`${where}: ${limit} has grown`)
    }
    for (const limit of HIGHEST) {
      const now = after[limit]
      if (typeof now === 'number' && !(Number(before[limit] ?? Number.POSITIVE_INFINITY) <= now))
        this.problems.push(`${where}: ${limit} has shrunk`)
    }
    // Fields for instants accepted nothing else even before the document declared the format.
    const isSaidNow = before.format === undefined && after.format === 'date-time'
    for (const rule of isSaidNow ? ['pattern'] : ['pattern', 'format']) {
      if (after[rule] !== undefined && after[rule] !== before[rule])
        this.problems.push(`${where}: ${rule} is new or different`)
    }
  }

  #properties(before: Json, after: Json, direction: Direction, where: string): void {
    const required = { before: listOf(before.required), after: listOf(after.required) }
    for (const [name, schema] of Object.entries(objectOf(before.properties))) {
      const now = objectOf(after.properties)[name]
      if (now === undefined) this.problems.push(`${where}.${name}: is gone`)
      else this.schema(schema, now, direction, `${where}.${name}`)
    }
    const changed =
      direction === 'sent'
        ? required.after.filter((name) => !required.before.includes(name))
        : required.before.filter((name) => !required.after.includes(name))
    const what = direction === 'sent' ? 'is required now' : 'may be absent now'
    for (const name of changed) this.problems.push(`${where}.${name}: ${what}`)
    if (
      direction === 'sent' &&
      after.additionalProperties === false &&
      before.additionalProperties !== false &&
      before.type === 'object'
    )
      this.problems.push(`${where}: takes no further attributes`)
  }

  operation(before: Json, after: Json, where: string): void {
    this.#parameters(before, after, where)
    const [bodyBefore, bodyAfter] = [before, after].map((operation, at) =>
      resolve(at === 0 ? this.before : this.after, operation.requestBody),
    ) as [Json, Json]
    if (bodyAfter.required === true && bodyBefore.required !== true)
      this.problems.push(`${where}: a body is required now`)
    this.#contents(bodyBefore, bodyAfter, 'sent', where)
    for (const [status, raw] of Object.entries(objectOf(before.responses))) {
      const response = objectOf(after.responses)[status]
      if (response === undefined) this.problems.push(`${where}: ${status} is gone`)
      else
        this.#contents(
          resolve(this.before, raw),
          resolve(this.after, response),
          'answered',
          `${where} ${status}`,
        )
    }
  }

  #contents(before: Json, after: Json, direction: Direction, where: string): void {
    for (const [type, content] of Object.entries(objectOf(before.content))) {
      const now = objectOf(after.content)[type]
      if (now === undefined) this.problems.push(`${where}: ${type} is gone`)
      else this.schema(objectOf(content).schema, objectOf(now).schema, direction, where)
    }
  }

  #parameters(before: Json, after: Json, where: string): void {
    const parametersOf = (document: Json, operation: Json) =>
      new Map(
        listOf(operation.parameters)
          .map((raw) => resolve(document, raw))
          .map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]),
      )
    const [old, now] = [parametersOf(this.before, before), parametersOf(this.after, after)]
    for (const [name, parameter] of old) {
      const found = now.get(name)
      if (!found) this.problems.push(`${where}: parameter ${name} is gone`)
      else this.schema(parameter.schema, found.schema, 'sent', `${where} ${name}`)
    }
    for (const [name, { required }] of now)
      if (required === true && old.get(name)?.required !== true)
        this.problems.push(`${where}: parameter ${name} is required now`)
  }
}

/** Returns the allowed values, or undefined if any value is allowed. */
const optionsOf = (schema: Json): unknown[] | undefined =>
  'const' in schema ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : undefined

const VARIANTS = ['anyOf', 'oneOf']
const hasVariants = (schema: Json) => VARIANTS.some((name) => name in schema)
const variantsOf = (schema: Json): unknown[] => {
  const name = VARIANTS.find((one) => one in schema)
  return name === undefined ? [schema] : listOf(schema[name])
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head']

/** Returns every change in the new document that breaks a client or receiver of the old one. */
export function findBreaks(before: Json, after: Json): string[] {
  const comparison = new Comparison(before, after)
  for (const part of ['paths', 'webhooks']) {
    for (const path of namesIn(before[part])) {
      const operations = objectOf(objectOf(before[part])[path])
      for (const method of METHODS.filter((name) => name in operations)) {
        const where = `${method.toUpperCase()} ${path}`
        const now = objectOf(objectOf(after[part])[path])[method]
        if (now === undefined) comparison.problems.push(`${where}: is gone`)
        else comparison.operation(objectOf(operations[method]), objectOf(now), where)
      }
    }
  }
  return comparison.problems
}
