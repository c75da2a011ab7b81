import { isObject } from '../lib/json.ts'
import { invalid } from '../refusal.ts'
import { checkedHeader, checkedPath, type Place, type ReadCall, valueAt } from './map.ts'

export const MAX_CONDITIONS = 20

type Scalar = string | number | boolean

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

interface Operator {
  /** Whether the value of a condition has its form; completes "must be …". */
  readonly takes: (value: unknown) => boolean
  readonly says: string
  readonly holds: (found: unknown, value: unknown) => boolean
}

const single = { takes: isScalar, says: 'a text, a number, true or false' }
const list = {
  takes: (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isScalar),
  says: 'a list of texts, numbers, true or false',
}
const isIn = (found: unknown, value: unknown) => (value as Scalar[]).includes(found as Scalar)

/** What is not there is undefined. */
const OPERATORS: Readonly<Record<string, Operator>> = {
  eq: { ...single, holds: (found, value) => found === value },
  neq: { ...single, holds: (found, value) => found !== value },
  in: { ...list, holds: isIn },
  not_in: { ...list, holds: (found, value) => !isIn(found, value) },
  exists: { takes: (value) => value === undefined, says: 'left out', holds: (found) => found !== undefined },
  starts_with: {
    takes: (value) => typeof value === 'string',
    says: 'a text',
    holds: (found, value) => typeof found === 'string' && found.startsWith(value as string),
  },
}

export interface Condition {
  readonly path?: string
  readonly header?: string
  readonly event?: true
  readonly op: string
  readonly value?: unknown
}

const KEYS = ['path', 'header', 'event', 'op', 'value']

/** Refuses conditions that are not in the form of any. */
export function checkedWhen(sent: readonly unknown[]): Condition[] {
  return sent.map((condition, at) => checkedCondition(condition, `when[${at}]`))
}

function checkedCondition(sent: unknown, where: string): Condition {
  if (!isObject(sent)) throw invalid(`"${where}" must be an object.`)
  const unknown = Object.keys(sent).find((key) => !KEYS.includes(key))
  if (unknown !== undefined)
    throw invalid(`"${where}.${unknown}" is not known here; remove it or check its spelling.`)
  if (['path', 'header', 'event'].filter((key) => sent[key] !== undefined).length !== 1)
    throw invalid(`"${where}" must have exactly one of "path", "header" and "event".`)
  if (sent.path !== undefined) checkedPath(sent.path, `"${where}.path"`)
  if (sent.header !== undefined) checkedHeader(sent.header, `"${where}.header"`)
  if (sent.event !== undefined && sent.event !== true) throw invalid(`"${where}.event" must be true.`)
  const { op } = sent
  const operator = typeof op === 'string' && Object.hasOwn(OPERATORS, op) ? OPERATORS[op] : undefined
  if (!operator) throw invalid(`"${where}.op" must be one of ${Object.keys(OPERATORS).join(', ')}.`)
  if (!operator.takes(sent.value)) throw invalid(`"${where}.value" must be ${operator.says} with "${op}".`)
  return sent as unknown as Condition
}

/** Whether all conditions hold for a call. */
export const holdsFor = (conditions: readonly Condition[], call: ReadCall): boolean =>
  conditions.every(({ op, event, value, ...place }) =>
    OPERATORS[op]?.holds(event ? (call.event ?? undefined) : valueAt(place as Place, call), value),
  )
