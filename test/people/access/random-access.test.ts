import { test } from 'bun:test'
import { fuzzAccess } from './random-access.ts'

test('no response to a random narrowed key holds anything that it does not reach', () => fuzzAccess(1_000, 7))
