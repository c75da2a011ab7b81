import { test } from 'bun:test'
import { RANDOM_CASES_MS, runs } from '../../support/counts.ts'
import { fuzzAccess } from './random-access.ts'

test(
  'no response to a random narrowed key contains inaccessible data',
  () => fuzzAccess(runs(1_000, 100_000), 7),
  RANDOM_CASES_MS,
)
