import { expect, test } from 'bun:test'
import { WatchHistory } from '../../src/records/watch/history.ts'
import type { WatchedPage } from '../../src/records/watch/page.ts'
import { testClock } from '../support/service.ts'

const pageOf = (id: string, records: number): WatchedPage => ({
  id,
  text: '',
  rows: [],
  moments: new Map(Array.from({ length: records }, (_, at) => [`${id}-${at}`, at])),
})

test('a page is known for five minutes after it was kept last', () => {
  const clock = testClock()
  const history = new WatchHistory(clock)
  const page = pageOf('a', 2)
  history.keep('question', page)
  clock.advance(200_000)
  history.keep('question', page)
  clock.advance(300_000)
  expect(history.find('question', 'a')).toEqual(page.moments)
  expect(history.find('another', 'a')).toBeUndefined()
  clock.advance(1)
  expect(history.find('question', 'a')).toBeUndefined()
})

test('the oldest are forgotten when there are too many records', () => {
  const history = new WatchHistory(testClock())
  const ids = Array.from({ length: 250 }, (_, at) => `page-${at}`)
  for (const id of ids) history.keep('question', pageOf(id, 500))
  const known = ids.filter((id) => history.find('question', id))
  expect(known).toEqual(ids.slice(-known.length))
  expect([known.length > 150, known.length <= 200]).toEqual([true, true])
})

test('pages without records do not grow without bound', () => {
  const history = new WatchHistory(testClock())
  for (let at = 0; at < 30_000; at++) history.keep('question', pageOf(`page-${at}`, 0))
  expect(history.find('question', 'page-29999')).toEqual(new Map())
  expect(history.find('question', 'page-0')).toBeUndefined()
})
