import type { Random } from '../random.ts'

export type Members = Readonly<Record<string, unknown>>

const KEPT = 40
const DEPTH = 4

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `notes` is a list of what is called `note`. */
export function singular(name: string): string {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`
  return name.replace(/(?<=[^s]s)es$|(?<=[^s])s$/, '')
}

/**
 * What earlier answers told of: the newest few objects of every kind, by the name they were answered under.
 * Within one request the same object of a kind is meant, mostly.
 */
export class Objects {
  readonly #kept = new Map<string, Members[]>()
  readonly #meant = new Map<string, Members>()

  constructor(readonly random: Random) {}

  /** Keeps every object in the answer that has an id and is more than a mention of another. */
  learn(answer: unknown, parent?: string, name = '', depth = DEPTH): void {
    if (depth === 0) return
    if (Array.isArray(answer)) {
      for (const item of answer.slice(0, KEPT)) this.learn(item, parent, singular(name), depth - 1)
    } else if (isObject(answer)) {
      if (answer.id !== undefined && Object.keys(answer).length > 2) {
        this.#keep(name, answer.id === parent ? answer : { ...answer, parent })
      }
      for (const [member, value] of Object.entries(answer)) this.learn(value, parent, member, depth - 1)
    }
  }

  #keep(kind: string, object: Members): void {
    this.#remove(kind, object.id)
    this.#remove(deleted(kind), object.id)
    const into = typeof object.deleted_at === 'string' ? deleted(kind) : kind
    this.#kept.set(into, [...this.all(into), object].slice(-KEPT))
  }

  #remove(kind: string, id: unknown): void {
    this.#kept.set(
      kind,
      this.all(kind).filter((object) => object.id !== id),
    )
  }

  /** The object was deleted; it may be asked for where deleted ones are. */
  bury(kind: string, id: string): void {
    const object = this.all(kind).find((known) => String(known.id) === id)
    if (object) this.#keep(kind, { ...object, deleted_at: 'now' })
  }

  all(kind: string): readonly Members[] {
    return this.#kept.get(kind) ?? []
  }

  any(kind: string): Members | undefined {
    const meant = this.#meant.get(kind)
    if (meant && this.random.chance(0.85)) return meant
    const known = this.all(kind)
    if (known.length === 0) return undefined
    const object = this.random.pick(known)
    this.#meant.set(kind, object)
    return object
  }

  /** From here on it is another request. */
  beginRequest(): void {
    this.#meant.clear()
  }
}

export const deleted = (kind: string) => `deleted ${kind}`
