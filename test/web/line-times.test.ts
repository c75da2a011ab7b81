import { expect, test } from 'bun:test'
import { lineTimes, passageTimes } from '../../src/web/data/line-times.ts'

const [EIGHT, NINE, TEN] = [8, 9, 10].map((hour) => Date.UTC(2026, 10, 23, hour))

const version = (text: string, at: number | undefined) => ({ lines: text.split('\n'), at })

test('a line has the time of the edit that last changed it, wherever later edits moved it', () => {
  const times = lineTimes([
    version('first', EIGHT),
    version('first\n\nsecond', NINE),
    version('above\n\nfirst\n\nsecond, changed', TEN),
  ])
  expect(times).toEqual([TEN, TEN, EIGHT, NINE, TEN])
})

test('lines of a version whose time is unknown have none until they are changed', () => {
  expect(lineTimes([version('a\nb', undefined), version('a\nc', NINE)])).toEqual([undefined, NINE])
})

test('a text without versions has no times', () => {
  expect(lineTimes([])).toEqual([])
})

test('a passage has the time of its last edit, unless the passage above was edited in the same minute', () => {
  const lines = ['one', '', '- [x] two', '- [ ] three', '', '', 'four', '', 'five', '', 'six']
  const times = [EIGHT, EIGHT, EIGHT, NINE, NINE, NINE, (NINE ?? 0) + 59_000, TEN, TEN, TEN, undefined]
  expect(passageTimes(lines, times)).toEqual([
    { line: 0, at: EIGHT ?? 0 },
    { line: 2, at: NINE ?? 0 },
    { line: 8, at: TEN ?? 0 },
  ])
})
