const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Whether `text` is a valid id of this service: a lower-case UUIDv7. */
export const isId = (text: string): boolean => FORM.test(text)

/** The time in an id (UUID version 7, RFC 9562): its first 48 bits. */
export const idTime = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** The beginning of every id of an instant, which sorts before the ids and after those of earlier instants. */
export function idPrefixAt(instant: number): string {
  const digits = hex(instant, 12)
  return `${digits.slice(0, 8)}-${digits.slice(8)}`
}

/** Makes UUIDv7 ids for given instants. */
export interface IdSource {
  (instant: number): string
  /** The last id; empty before the first. */
  readonly last: () => string
  /** Makes all further ids greater than this id of another source. */
  readonly follow: (id: string) => void
}

const COUNTER_LIMIT = 0x1000
const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')

/** A random tail of an id, `8xxx-xxxxxxxxxxxx`, cut from a random UUID, which has the same format. */
const newTail = () => crypto.randomUUID().slice('xxxxxxxx-xxxx-xxxx-'.length)

/**
 * Ids of one source strictly increase: the twelve bits after the time are a counter. When it overflows, or the clock
 * is set back, the time part runs ahead of the clock.
 */
export function createIdSource(): IdSource {
  let lastMs = 0
  let counter = 0
  let time = ''
  let last = ''
  const moveTo = (ms: number, count = 0) => {
    lastMs = ms
    counter = count
    time = `${idPrefixAt(ms)}-7`
  }
  const next = (instant: number) => {
    if (instant > lastMs) moveTo(instant)
    else if (++counter === COUNTER_LIMIT) moveTo(lastMs + 1)
    last = `${time}${hex(counter, 3)}-${newTail()}`
    return last
  }
  const follow = (id: string) => {
    if (id <= last) return
    last = id
    moveTo(idTime(id), Number.parseInt(id.slice(15, 18), 16))
  }
  return Object.assign(next, { last: () => last, follow })
}
