const twoDigits = (number: number) => String(number).padStart(2, '0')

/** The day where the person is, as 2026-11-23. */
export const localDay = (at = new Date()): string =>
  [at.getFullYear(), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join('-')

/** The time of day where the person is, as 09:30. */
export const localTime = (at = new Date()): string =>
  `${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`
