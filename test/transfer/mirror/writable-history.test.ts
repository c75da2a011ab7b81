import { test } from 'bun:test'
import { runWritableHistory } from '../../support/writable-history.ts'

for (const seed of [1, 2])
  test(`a writable mirror and its remote lose nothing and double nothing in random history ${seed}`, async () => {
    await runWritableHistory(seed, 40)
  })
