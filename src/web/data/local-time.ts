const twoDigits = (number: number) => String(number).padStart(2, '0')

/** The local date: 2026-11-23. */
export const localDay = (at = new Date()): string =>
  [at.getFullYear(), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join('-')

/** The end of a local day as an instant: what expires then works through its last day. */
export const endOfDay = (day: string): string => new Date(`${day}T23:59:59`).toISOString()

/** The local time of day: 09:30. */
export const localTime = (at = new Date()): string =>
  `${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`
