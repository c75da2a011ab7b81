import { test } from 'bun:test'
import { fuzzAccess } from './random-access.ts'

test('nor any of 100,000', () => fuzzAccess(100_000, 11), 900_000)
