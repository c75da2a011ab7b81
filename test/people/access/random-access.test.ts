import { test } from 'bun:test'
import { fuzzAccess } from './random-access.ts'

test('no response to a random narrowed key contains inaccessible data', () => fuzzAccess(1_000, 7))
