/** The number of IDs per millisecond. */
const COUNTERS = 0x1000

/** New IDs: UUIDv7, in increasing order. */
export function newIds(count: number): string[] {
  const now = Date.now()
  const random = crypto.getRandomValues(new Uint8Array(8))
  const hex = [...random].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return Array.from({ length: count }, (_, at) => {
    const time = (now + Math.floor(at / COUNTERS)).toString(16).padStart(12, '0')
    const counter = (at % COUNTERS).toString(16).padStart(3, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-8${hex.slice(1, 4)}-${hex.slice(4)}`
  })
}
