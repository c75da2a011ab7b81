import { describe, expect, test } from 'bun:test'
import type { ValueKind } from '../../src/filter/operators.ts'
import { describeTree } from '../../src/filter/sentence.ts'
import { type FilterTree, parseTree } from '../../src/filter/tree/parse.ts'

const TAGS: Record<number, string> = { 1: 'work', 2: 'home', 3: 'say "hi"' }
const TYPES: Record<string, ValueKind> = {
  status: 'select',
  due: 'date',
  cost: 'number',
  done: 'bool',
  extra: 'json',
}

const names = {
  tag: (id: number) => (TAGS[id] === undefined ? undefined : { name: TAGS[id] }),
  property: (id: string) => {
    const type = TYPES[id]
    return type && { pk: 1, key: id, type }
  },
}
const summary = (tree: unknown) => describeTree(parseTree(tree, 'filter'), names)

const tags = (op: string, ...tag_ids: number[]) => ({ type: 'tags', op, tag_ids })
const property = (def_id: string, op: string, value?: unknown) => ({ type: 'property', def_id, op, value })
const field = (name: string, op: string, value?: unknown) => ({ type: 'field', field: name, op, value })
const group = (match: string, ...children: unknown[]) => ({ type: 'group', match, children })
const ahead = (n: number, unit: string) => ({ relative: { n, unit } })

const SENTENCES: [unknown, string][] = [
  [group('all', tags('has_all', 1), property('status', 'eq', 'open')), 'tagged "work" and status is "open"'],
  [tags('has_all', 1, 2), 'tagged with all of "work", "home"'],
  [tags('has_any', 1, 2), 'tagged with any of "work", "home"'],
  [tags('has_none', 1, 2), 'tagged with none of "work", "home"'],
  [tags('has_none', 3), 'not tagged "say \\"hi\\""'],
  [property('status', 'neq', 'a'), 'status is not "a"'],
  [property('status', 'contains', 'a'), 'status contains "a"'],
  [property('status', 'not_contains', 'a'), 'status does not contain "a"'],
  [property('status', 'starts_with', 'a'), 'status starts with "a"'],
  [property('status', 'ends_with', 'a'), 'status ends with "a"'],
  [property('status', 'in', ['a', 'b']), 'status is one of "a", "b"'],
  [property('status', 'in', []), 'status is one of nothing'],
  [property('status', 'not_in', ['a']), 'status is none of "a"'],
  [property('status', 'empty'), 'status is empty'],
  [property('status', 'not_empty'), 'status is not empty'],
  [property('cost', 'gt', 5), 'cost is greater than 5'],
  [property('cost', 'gte', 0.1), 'cost is at least 0.1'],
  [property('cost', 'lt', -1), 'cost is less than -1'],
  [property('cost', 'lte', 5), 'cost is at most 5'],
  [property('cost', 'between', [1, 5]), 'cost is between 1 and 5'],
  [property('done', 'eq', true), 'done is true'],
  [property('extra', 'has_key', 'isbn'), 'extra has the key "isbn"'],
  [property('extra', 'contains', { a: [1] }), 'extra contains {"a":[1]}'],
  [property('due', 'on', '2026-12-01'), 'due is 2026-12-01'],
  [property('due', 'on', ahead(0, 'day')), 'due is today'],
  [property('due', 'before', ahead(1, 'day')), 'due is before tomorrow'],
  [property('due', 'after', ahead(-1, 'day')), 'due is after yesterday'],
  [property('due', 'on_or_before', ahead(2, 'week')), 'due is on or before the day in 2 weeks'],
  [property('due', 'on_or_after', ahead(-1, 'month')), 'due is on or after the day 1 month ago'],
  [
    property('due', 'between', ['2026-01-01', ahead(1, 'year')]),
    'due is between 2026-01-01 and the day in 1 year',
  ],
  [property('due', 'on', ahead(0, 'month')), 'due is today'],
  [property('due', 'on', ahead(2, 'day')), 'due is the day in 2 days'],
  [property('due', 'on', ahead(-1, 'week')), 'due is the day 1 week ago'],
  [property('due', 'within', ahead(1, 'week')), 'due is within the next week'],
  [property('due', 'within', ahead(7, 'day')), 'due is within the next 7 days'],
  [property('due', 'within', ahead(-1, 'month')), 'due is within the last month'],
  [property('due', 'within', ahead(0, 'year')), 'due is today'],
  [field('title', 'contains', 'plan'), 'title contains "plan"'],
  [field('created_at', 'after', '2026-01-01'), 'creation day is after 2026-01-01'],
  [field('updated_at', 'within', ahead(-3, 'day')), 'day of the last edit is within the last 3 days'],
  [
    group('any', tags('has_all', 1), group('all', tags('has_all', 2), property('due', 'empty'))),
    'tagged "work" or (tagged "home" and due is empty)',
  ],
  [group('none', tags('has_all', 1), property('due', 'empty')), 'not (tagged "work" or due is empty)'],
  [
    group('all', group('none', tags('has_all', 1)), group('any', tags('has_all', 2))),
    'not (tagged "work") and tagged "home"',
  ],
  [
    group('all', group('any', group('all', tags('has_all', 1), tags('has_all', 2)))),
    'tagged "work" and tagged "home"',
  ],
  [
    group(
      'all',
      group('any', group('any', tags('has_all', 1), tags('has_all', 2))),
      property('due', 'empty'),
    ),
    '(tagged "work" or tagged "home") and due is empty',
  ],
  [group('all'), 'All notes'],
  [group('none'), 'All notes'],
  [group('any'), 'No notes'],
  [group('all', group('any'), tags('has_all', 1)), 'no notes and tagged "work"'],
]

describe('the sentence of a tree', () => {
  for (const [tree, sentence] of SENTENCES) {
    test(sentence, () => expect(summary(tree)).toBe(sentence))
  }

  test('is "All notes" without one', () => expect(describeTree(null, names)).toBe('All notes'))

  test('cuts long texts and long lists', () => {
    expect(summary(property('status', 'eq', 'x'.repeat(100_000)))).toBe(`status is "${'x'.repeat(99)}…`)
    // Two of the 100 characters are quotation marks.
    expect(summary(property('status', 'eq', 'x'.repeat(98)))).toBe(`status is "${'x'.repeat(98)}"`)
    expect(summary(property('status', 'eq', 'x'.repeat(99)))).toBe(`status is "${'x'.repeat(99)}…`)
    const many = Array.from({ length: 500 }, (_, at) => `v${at}`)
    expect(summary(property('status', 'in', many.slice(0, 10)))).toEndWith('"v8", "v9"')
    expect(summary(property('status', 'in', many.slice(0, 11)))).toEndWith('"v9" and 1 more')
    expect(summary(property('status', 'in', many))).toBe(
      'status is one of "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9" and 490 more',
    )
  })

  test('names by its id what is not defined', () => {
    const tree: FilterTree = { type: 'tags', op: 'has_all', tag_ids: [9] }
    expect(describeTree(tree, names)).toBe('tagged 9')
  })
})
