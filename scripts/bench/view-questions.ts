import { wordOfRank } from './corpus.ts'

/** A condition as a node of a filter tree, and what it comes to in SQL over the heads of notes. */
export interface Condition {
  node: object
  sql: string
}

/** What the bench knows of the workspace: ids by name and by key. */
export interface Named {
  tags: Record<string, number>
  properties: Record<string, { pk: number; id: string }>
}

export interface TreeQuestion {
  what: string
  filter: object
  where: string
  search?: string
  /** The least time that is asked for, whatever the floor. */
  mostMs?: number
}

const text = (value: unknown) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

/** The words of the bench's conditions. */
export function conditionsOf({ tags, properties }: Named) {
  const held = (key: string, op: string, value: unknown, test: string, isNegated = false): Condition => ({
    node: { type: 'property', def_id: properties[key]?.id, op, ...(value !== undefined && { value }) },
    sql: `pk ${isNegated ? 'NOT ' : ''}IN (SELECT note FROM note_properties WHERE property = ${properties[key]?.pk} AND ${test})`,
  })
  return {
    tagged: (name: string): Condition => ({
      node: { type: 'tags', op: 'has_any', tag_ids: [tags[name]] },
      sql: `pk IN (SELECT note FROM note_tags WHERE tag = ${tags[name]})`,
    }),
    notTagged: (name: string): Condition => ({
      node: { type: 'tags', op: 'has_none', tag_ids: [tags[name]] },
      sql: `pk NOT IN (SELECT note FROM note_tags WHERE tag = ${tags[name]})`,
    }),
    is: (key: string, value: unknown) => held(key, 'eq', value, `value = ${text(value)}`),
    isNot: (key: string, value: unknown) => held(key, 'neq', value, `value = ${text(value)}`, true),
    above: (key: string, value: number) => held(key, 'gt', value, `value > ${value}`),
    since: (key: string, day: string) => held(key, 'on_or_after', day, `value >= ${text(day)}`),
    contains: (key: string, needle: string) => held(key, 'contains', needle, `value LIKE '%${needle}%'`),
    isEmpty: (key: string) => held(key, 'empty', undefined, '1', true),
    titled: (needle: string): Condition => ({
      node: { type: 'field', field: 'title', op: 'contains', value: needle },
      sql: `title LIKE '%${needle}%'`,
    }),
  }
}

const group = (match: 'all' | 'any' | 'none', conditions: readonly Condition[]): Condition => {
  const joined = conditions.map(({ sql }) => `(${sql})`).join(match === 'all' ? ' AND ' : ' OR ')
  return {
    node: { type: 'group', match, children: conditions.map(({ node }) => node) },
    sql: match === 'none' ? `NOT (${joined})` : joined,
  }
}

const asked = (what: string, { node, sql }: Condition, mostMs?: number): TreeQuestion => ({
  what,
  filter: node,
  where: sql,
  mostMs,
})

const FIVE_MS = 30

/** A search within a condition that half the notes meet. */
export function searchQuestions(named: Named): TreeQuestion[] {
  const { node, sql } = conditionsOf(named).above('amount', 500)
  return [30, 0].map((rank) => ({
    what: `search ${rank === 0 ? 'the most common word' : 'a common word'} within a half`,
    filter: node,
    where: sql,
    search: wordOfRank(rank),
  }))
}

/** Trees of one, five and fifty conditions. */
export function treeQuestions(named: Named): TreeQuestion[] {
  const { tagged, notTagged, is, isNot, above, since, contains, isEmpty, titled } = conditionsOf(named)
  const five = [tagged('tag 1'), is('stage', 'open'), above('amount', 200), since('due', '2024-01-01')]
  const cities = Array.from({ length: 20 }, (_, at) => contains('city', wordOfRank(at * 40)))
  const amounts = Array.from({ length: 20 }, (_, at) => is('amount', at * 31))
  const tags = Array.from({ length: 10 }, (_, at) => tagged(`tag ${at + 10}`))
  return [
    asked('1: a tag on many', tagged('tag 0')),
    asked('1: a tag on few', tagged('tag 37')),
    asked('1: not tagged', notTagged('tag 0')),
    asked('1: select is', is('stage', 'open')),
    asked('1: select is not', isNot('stage', 'open')),
    asked('1: number above (half)', above('amount', 500)),
    asked('1: number above (hundredth)', above('amount', 990)),
    asked('1: date since (half)', since('due', '2024-01-01')),
    asked('1: text contains', contains('city', 'ka')),
    asked('1: empty', isEmpty('due')),
    asked('1: title contains', titled('kabe')),
    asked('5: all, broad', group('all', [...five, contains('city', 'a')]), FIVE_MS),
    asked('5: all, one selective', group('all', [...five, above('amount', 995)]), FIVE_MS),
    asked(
      '5: any of all and none',
      group('any', [
        group('all', [tagged('tag 1'), above('amount', 500)]),
        group('none', [is('stage', 'open'), is('stage', 'done')]),
        contains('city', wordOfRank(50)),
      ]),
      FIVE_MS,
    ),
    asked('50: any', group('any', [...cities, ...amounts, ...tags])),
    asked('50: none', group('none', [...cities, ...amounts, ...tags])),
    asked(
      '50: all of any',
      group('all', [
        group('any', cities),
        group('any', [...amounts, is('stage', 'open')]),
        ...tags.slice(1).map(({ node, sql }) => group('none', [{ node, sql }])),
      ]),
    ),
  ]
}
