import { expect, test } from 'bun:test'
import { FairQueue } from '../../src/lib/fair-queue.ts'

function queueOf(...items: string[]): FairQueue<string> {
  const queue = new FairQueue<string>()
  for (const item of items) queue.add(item[0] ?? '', item, item.includes('background'))
  return queue
}

const all = () => true

function takeAll(queue: FairQueue<string>, mayServe: (key: string) => boolean = all): string[] {
  const taken: string[] = []
  for (let item = queue.take(mayServe); item !== undefined; item = queue.take(mayServe)) taken.push(item)
  return taken
}

test('keys alternate, and the items of one key are in the order of their arrival', () => {
  expect(takeAll(queueOf('a1', 'a2', 'a3', 'b1', 'b2', 'c1'))).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('a key that comes later has its turn after those that wait', () => {
  const queue = queueOf('a1', 'a2', 'b1', 'b2')
  expect(queue.take(all)).toBe('a1')
  queue.add('c', 'c1', false)
  expect(takeAll(queue)).toEqual(['b1', 'a2', 'c1', 'b2'])
})

test('keys that may not be served keep their turn', () => {
  const queue = queueOf('a1', 'b1', 'c1')
  expect(takeAll(queue, (key) => key !== 'a')).toEqual(['b1', 'c1'])
  expect(takeAll(queue)).toEqual(['a1'])
})

test('the background of a key alternates with its other items', () => {
  const queue = queueOf('a background 1', 'a background 2', 'a background 3', 'a1', 'a2', 'b background 1')
  expect(takeAll(queue)).toEqual([
    'a1',
    'b background 1',
    'a background 1',
    'a2',
    'a background 2',
    'a background 3',
  ])
})

test('never returns a removed item', () => {
  const queue = queueOf('a1', 'a2', 'b1')
  queue.remove('a', 'a1')
  queue.remove('b', 'b1')
  queue.remove('c', 'c1')
  expect(takeAll(queue)).toEqual(['a2'])
  queue.add('a', 'a3', false)
  queue.add('b', 'b2', true)
  expect([queue.clear(), takeAll(queue)]).toEqual([['a3', 'b2'], []])
})
