import { test } from 'bun:test'
import { runs } from '../../support/counts.ts'
import { runWritableHistory } from '../../support/writable-history.ts'

const HISTORIES = runs(2, 500)
const STEPS = runs(40, 120)

for (let seed = 1; seed <= HISTORIES; seed++)
  test(`a writable mirror and its remote lose nothing and double nothing in random history ${seed}`, async () => {
    await runWritableHistory(seed, STEPS)
  })
