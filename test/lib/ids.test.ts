import { expect, test } from 'bun:test'
import { createIdSource, isId } from '../../src/lib/ids.ts'

test('ids are UUIDv7 of their instant and grow strictly, also when the clock stands still or is set back', () => {
  const newId = createIdSource()
  const start = Date.parse('2026-11-21T09:30:00.000Z')
  const instants = [...Array<number>(10_000).fill(start), start + 1, start - 60_000, start + 60_000]
  const ids = instants.map(newId)
  expect(ids.every(isId)).toBe(true)
  expect(ids).toEqual([...new Set(ids)].toSorted())
  const timeOf = (id = '') => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
  expect([timeOf(ids[0]), timeOf(ids.at(-1))]).toEqual([start, start + 60_000])
})

test('a source that follows the id of another continues after it, whatever its own clock shows', () => {
  const [one, other] = [createIdSource(), createIdSource()]
  const now = Date.parse('2026-11-21T09:30:00.000Z')
  const ids: string[] = []
  for (let round = 0; round < 3_000; round++) {
    ids.push(one(now), one(now))
    other.follow(one.last())
    ids.push(other(now - round), other(now - 1))
    one.follow(other.last())
    one.follow(ids[0] ?? '')
    one.follow('')
  }
  expect(ids.every(isId)).toBe(true)
  expect(ids).toEqual([...new Set(ids)].toSorted())
})

test('only lower-case UUIDv7 are ids', () => {
  const id = '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'
  const others = [
    id.toUpperCase(),
    id.replace('-7000', '-4000'),
    id.replace('-8', '-c'),
    id.slice(1),
    `${id} `,
    '',
    'x',
  ]
  expect([isId(id), others.filter(isId)]).toEqual([true, []])
})
