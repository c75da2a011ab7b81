import { test } from 'bun:test'
import { runs } from '../../support/counts.ts'
import { runWritableHistory } from '../../support/writable-history.ts'

const HISTORIES = runs(5, 500)
const STEPS = runs(60, 120)

for (let seed = 101; seed <= 100 + HISTORIES; seed++)
  test(`a writable mirror and its remote lose nothing and double nothing in random history ${seed}`, async () => {
    await runWritableHistory(seed, STEPS)
  })
