import { expect, test } from 'bun:test'
import { type WatchedPage, WatchHistory } from '../../src/records/watch/pages.ts'
import { testClock } from '../support/service.ts'

const pageOf = (id: string, records: number): WatchedPage => ({
  id,
  text: '',
  rows: [],
  versions: new Map(Array.from({ length: records }, (_, at) => [`${id}-${at}`, at])),
})

test('a page is found for five minutes after it was saved last', () => {
  const clock = testClock()
  const history = new WatchHistory(clock)
  const page = pageOf('a', 2)
  history.save('query', page)
  clock.advance(200_000)
  history.save('query', page)
  clock.advance(300_000)
  expect(history.find('query', 'a')).toEqual(page.versions)
  expect(history.find('another', 'a')).toBeUndefined()
  clock.advance(1)
  expect(history.find('query', 'a')).toBeUndefined()
})

test('the oldest are removed when there are too many records', () => {
  const history = new WatchHistory(testClock())
  const ids = Array.from({ length: 250 }, (_, at) => `page-${at}`)
  for (const id of ids) history.save('query', pageOf(id, 500))
  const known = ids.filter((id) => history.find('query', id))
  expect(known).toEqual(ids.slice(-known.length))
  expect([known.length > 150, known.length <= 200]).toEqual([true, true])
})

test('pages without records do not grow without bound', () => {
  const history = new WatchHistory(testClock())
  for (let at = 0; at < 30_000; at++) history.save('query', pageOf(`page-${at}`, 0))
  expect(history.find('query', 'page-29999')).toEqual(new Map())
  expect(history.find('query', 'page-0')).toBeUndefined()
})
