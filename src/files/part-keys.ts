/*
 * Parts and pages stand under one number that holds their file and their own number, so that those of a file are
 * a range, also in the search table.
 */
const NUMBERS = 2 ** 20

/** The key of part or page `number` of a file. */
export const placeOf = (file: number, number: number): number => file * NUMBERS + number

export const fileAt = (place: number): number => Math.floor(place / NUMBERS)

export const numberAt = (place: number): number => place % NUMBERS

/** The first and the last key that a file may have. */
export const rangeOf = (file: number): [number, number] => [placeOf(file, 0), placeOf(file, NUMBERS - 1)]

/** The file of a key, as SQL. */
export const fileOfPlace = (place: string): string => `${place} / ${NUMBERS}`
