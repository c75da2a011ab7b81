import { fold } from '../../lib/text.ts'

/*
 * Folding long texts takes as long as writing them. Where other writes wait for the transaction that stores them, they are
 * folded before it begins.
 */

/** A shorter text is folded when it is stored. */
const LONG = 1_000

const prepared = new Map<string, string>()

const MAY_FOLD = /[A-Z\u0080-\uffff]/

/** The folded form if it differs; most texts equal theirs, and testing that is faster than folding them. */
export function differentFold(text: string): string | null {
  if (!MAY_FOLD.test(text)) return null
  const folded = (text.length < LONG ? undefined : prepared.get(text)) ?? fold(text)
  return folded === text ? null : folded
}

/** Folds the long texts that are somewhere in a value, until `discardFolded`. */
export function prepareFolded(value: unknown): void {
  if (typeof value === 'string') {
    if (value.length >= LONG && MAY_FOLD.test(value)) prepared.set(value, fold(value))
  } else if (typeof value === 'object' && value !== null) {
    for (const one of Object.values(value)) prepareFolded(one)
  }
}

export const discardFolded = (): void => prepared.clear()
