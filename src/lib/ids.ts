const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Whether `text` has the form of an id of this service: a lower-case UUIDv7. */
export const isId = (text: string): boolean => FORM.test(text)

/** Makes UUIDv7 ids for given instants. */
export type IdSource = (instant: number) => string

const COUNTER_LIMIT = 0x1000
const TAIL_BYTES = 8
const POOL_BYTES = 512 * TAIL_BYTES
const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')

/** Random ends of ids, `8xxx-xxxxxxxxxxxx`, drawn from the system many at a time. */
function createTails(): () => string {
  const pool = Buffer.alloc(POOL_BYTES)
  let used = POOL_BYTES
  return () => {
    if (used === POOL_BYTES) {
      crypto.getRandomValues(pool)
      used = 0
    }
    // The two bits of the variant.
    pool[used] = 0x80 | ((pool[used] ?? 0) & 0x3f)
    const digits = pool.toString('hex', used, used + TAIL_BYTES)
    used += TAIL_BYTES
    return `${digits.slice(0, 4)}-${digits.slice(4)}`
  }
}

/**
 * Ids grow strictly within one source: the twelve bits after the time are a counter, and when it is
 * used up, or the clock is set back, the time part runs ahead of the clock.
 */
export function createIdSource(): IdSource {
  let lastMs = 0
  let counter = 0
  let time = ''
  const nextTail = createTails()
  const moveTo = (ms: number) => {
    lastMs = ms
    counter = 0
    const digits = hex(ms, 12)
    time = `${digits.slice(0, 8)}-${digits.slice(8)}-7`
  }
  return (instant) => {
    if (instant > lastMs) moveTo(instant)
    else if (++counter === COUNTER_LIMIT) moveTo(lastMs + 1)
    return `${time}${hex(counter, 3)}-${nextTail()}`
  }
}
