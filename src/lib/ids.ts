const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Whether `text` has the form of an id of this service: a lower-case UUIDv7. */
export const isId = (text: string): boolean => FORM.test(text)

/** Makes UUIDv7 ids for given instants. */
export type IdSource = (instant: number) => string

const COUNTER_LIMIT = 0x1000
const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')

/**
 * Ids grow strictly within one source: the twelve bits after the time are a counter, and when it is
 * used up, or the clock is set back, the time part runs ahead of the clock.
 */
export function createIdSource(): IdSource {
  let lastMs = 0
  let counter = 0
  const random = new Uint32Array(2)
  return (instant) => {
    if (instant > lastMs) {
      lastMs = instant
      counter = 0
    } else if (++counter === COUNTER_LIMIT) {
      lastMs += 1
      counter = 0
    }
    crypto.getRandomValues(random)
    const time = hex(lastMs, 12)
    const variant = hex(0x8000 | ((random[0] ?? 0) & 0x3fff), 4)
    const tail = hex((random[0] ?? 0) >>> 16, 4) + hex(random[1] ?? 0, 8)
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(counter, 3)}-${variant}-${tail}`
  }
}
