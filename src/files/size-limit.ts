import { Refusal } from '../lib/refusal.ts'

/** 50 MiB. */
export const MAX_FILE_BYTES = 52_428_800

export function refuseTooLarge(size: number): void {
  if (size <= MAX_FILE_BYTES) return
  throw new Refusal('too_large', 'The file is larger than 50 MiB; add a smaller one.')
}
