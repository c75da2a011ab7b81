import { expect, test } from 'bun:test'
import { createLog } from '../../src/lib/log.ts'
import { testClock } from '../support/service.ts'

test('logs a frequent error at once, then once a minute with its count', () => {
  const clock = testClock()
  let text = ''
  const log = createLog('info', clock, (lines) => {
    text += lines
  })
  const fail = (error: string) => log.repeated('error', 'commit failed', { error })
  for (let count = 0; count < 1_000; count++) fail('full')
  fail('failing')
  clock.advance(59_000)
  fail('full')
  clock.advance(1_000)
  fail('full')
  fail('full')
  log.flush()
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ message, error, times }) => [message, error, times])).toEqual([
    ['commit failed', 'full', undefined],
    ['commit failed', 'failing', undefined],
    ['commit failed', 'full', 1_001],
  ])
})
