import type { Random } from '../lib/random.ts'

export type Members = Readonly<Record<string, unknown>>

const MAX_KEPT = 40
const DEPTH = 4

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns for example `note` for `notes`. */
export function singular(name: string): string {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`
  return name.replace(/(?<=[^s]s)es$|(?<=[^s])s$/, '')
}

/**
 * The newest objects of every kind in earlier responses, keyed by the member that contained them. One request mostly
 * refers to the same object of a kind.
 */
export class KnownObjects {
  readonly #kept = new Map<string, Members[]>()
  readonly #current = new Map<string, Members>()

  constructor(readonly random: Random) {}

  /** Records every object of a response that has an id and other members. */
  record(response: unknown, parent?: string, name = '', depth = DEPTH): void {
    if (depth === 0) return
    if (Array.isArray(response)) {
      for (const item of response.slice(0, MAX_KEPT)) this.record(item, parent, singular(name), depth - 1)
    } else if (isObject(response)) {
      if (response.id !== undefined && Object.keys(response).length > 2) {
        this.#keep(name, response.id === parent ? response : { ...response, parent })
      }
      for (const [member, value] of Object.entries(response)) this.record(value, parent, member, depth - 1)
    }
  }

  #keep(kind: string, object: Members): void {
    this.#remove(kind, object.id)
    this.#remove(deleted(kind), object.id)
    const into = typeof object.deleted_at === 'string' ? deleted(kind) : kind
    this.#kept.set(into, [...this.all(into), object].slice(-MAX_KEPT))
  }

  #remove(kind: string, id: unknown): void {
    this.#kept.set(
      kind,
      this.all(kind).filter((object) => object.id !== id),
    )
  }

  /** Marks the object as deleted. */
  markDeleted(kind: string, id: string): void {
    const object = this.all(kind).find((known) => String(known.id) === id)
    if (object) this.#keep(kind, { ...object, deleted_at: 'now' })
  }

  all(kind: string): readonly Members[] {
    return this.#kept.get(kind) ?? []
  }

  any(kind: string): Members | undefined {
    const current = this.#current.get(kind)
    if (current && this.random.chance(0.85)) return current
    const known = this.all(kind)
    if (known.length === 0) return undefined
    const object = this.random.pick(known)
    this.#current.set(kind, object)
    return object
  }

  /** Forgets the objects that the previous request referred to. */
  beginRequest(): void {
    this.#current.clear()
  }
}

export const deleted = (kind: string) => `deleted ${kind}`
