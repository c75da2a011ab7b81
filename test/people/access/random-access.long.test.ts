import { test } from 'bun:test'
import { runs } from '../../support/counts.ts'
import { fuzzAccess } from './random-access.ts'

const REQUESTS = runs(3_000, 100_000)

test(`nor does any of ${REQUESTS} responses`, () => fuzzAccess(REQUESTS, 11), 900_000)
