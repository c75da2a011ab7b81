import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseSearch } from '../../src/lib/words.ts'
import { findMatches } from '../../src/notes/query/search.ts'
import { markAllForSearch } from '../../src/notes/search/indexing.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { makeNote, type NoteAnswer } from '../support/notes.ts'
import { type Client, startService } from '../support/service.ts'
import { type Condition, isFound, type OracleNote, typed, unitsOf } from './search-oracle.ts'

const LATIN =
  'alpha Alpine ALPHABET Élan elan e\u0301lan naïve straße İ2 x x2 2026 Ångström ΣΊΣΥΦΟΣ σίσυφος сыр Ёлка'
const KOREAN = '한국 한국어 한국어를 서울'
const UNSPACED_TEXTS =
  '東京大学 東京 大学院生 京大 日本語 がくせい か\u3099く カタカナー 学 ภาษาไทย ไทย กรุงเทพ น้ำ 𠮷野家'
const words = [...LATIN.split(' '), ...KOREAN.split(' ')].filter((word) => word !== 'İ2')
const unspaced = UNSPACED_TEXTS.split(' ')

const token = fc.oneof(fc.constantFrom(...words), fc.constantFrom(...unspaced))
const separator = fc.constantFrom(' ', ' ', '\n', '. ', '、', '-', '😀', '')
const sentence = (maxLength: number) =>
  fc.array(fc.tuple(token, separator), { minLength: 1, maxLength }).map((parts) => parts.flat().join(''))
const note = fc.record({
  title: sentence(3).map((text) => text.replaceAll('\n', ' ')),
  content: fc.oneof({ weight: 4, arbitrary: sentence(12) }, { weight: 1, arbitrary: fc.constant('') }),
  tags: fc.array(
    sentence(2).map((text) => text.replaceAll('\n', ' ').trim()),
    { maxLength: 2 },
  ),
})

const plain = { isQuoted: false, isPrefix: false }
const recased = fc
  .tuple(token, fc.constantFrom('as is', 'upper', 'NFD'))
  .map(([text, form]) =>
    form === 'upper' ? text.toUpperCase() : form === 'NFD' ? text.normalize('NFD') : text,
  )
const word = recased.map((text) => ({ ...plain, text }))
const phrase = fc
  .array(token, { minLength: 2, maxLength: 3 })
  .map((tokens) => ({ ...plain, text: tokens.join(' '), isQuoted: true }))
const prefix = fc.tuple(fc.constantFrom(...words), fc.integer({ min: 1, max: 5 })).map(([text, length]) => ({
  ...plain,
  text: Array.from(text.normalize('NFC')).slice(0, length).join(''),
  isPrefix: true,
}))
const neighbours = fc
  .tuple(
    fc.constantFrom(...unspaced.filter((text) => Array.from(text.normalize('NFC')).length > 1)),
    fc.nat(),
  )
  .map(([text, at]) => {
    const characters = Array.from(text.normalize('NFC'))
    return {
      ...plain,
      text: characters
        .slice(at % (characters.length - 1))
        .slice(0, 2)
        .join(''),
    }
  })
const condition: fc.Arbitrary<Condition> = fc
  .tuple(fc.oneof(word, phrase, prefix, neighbours), fc.integer({ min: 0, max: 4 }))
  .map(([wanted, dice]) => ({ ...wanted, isExcluded: dice === 0 }))

async function expectFound(client: Client, notes: Map<string, OracleNote>, conditions: Condition[]) {
  const search = conditions.map(typed).join(' ')
  const { body } = await client.get(`/v1/notes?limit=200&search=${encodeURIComponent(search)}`)
  const wanted = [...notes].filter(([, each]) => isFound(each, conditions)).map(([id]) => id)
  const found: string[] = body.notes.map(({ id }: NoteAnswer) => id)
  expect({ search, total: body.total, found: found.toSorted() }).toEqual({
    search,
    total: wanted.length,
    found: wanted.toSorted(),
  })
  return found
}

const uniqueTags = (tags: string[]) => {
  const byName = new Map(tags.map((tag) => [tag.normalize('NFC').toLowerCase(), tag]))
  return [...byName.values()].filter((tag) => tag !== '')
}

test(
  'a search finds exactly the notes that hold every word, phrase and prefix and none excluded, indexed or not',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(note, { minLength: 5, maxLength: 30 }),
        fc.array(fc.array(condition, { minLength: 1, maxLength: 3 }), { minLength: 40, maxLength: 40 }),
        async (notes, searches) => {
          const service = await startService()
          const made = new Map<string, OracleNote>()
          const names = new Map<string, string>()
          for (const each of notes) {
            const input = { ...each, tags: uniqueTags(each.tags) }
            const { id } = await makeNote(service, input)
            for (const tag of input.tags) {
              const folded = tag.normalize('NFC').toLowerCase()
              names.set(folded, names.get(folded) ?? tag)
            }
            made.set(id, input)
          }
          const found: string[][] = []
          for (const conditions of searches) found.push(await expectFound(service, made, conditions))
          const { db } = service.ctx
          const ids = new Map(db.sql.rows<[number, string]>('SELECT pk, id FROM notes'))
          await db.write((tx): void => {
            const pks = JSON.stringify([...ids.keys()].filter((pk) => pk % 3 > 0))
            markAllForSearch(tx, 1, pks, { canWait: false })
            tx.sql.run('DELETE FROM note_search WHERE rowid % 3 = 1')
          })
          for (const [at, conditions] of searches.entries()) {
            const search = conditions.map(typed).join(' ')
            const pks = findMatches(db, { workspace: 1 }, parseSearch(search))
            const again = pks.map((pk) => ids.get(pk) ?? '').toSorted()
            expect({ search, again }).toEqual({ search, again: found[at]?.toSorted() ?? [] })
          }
          service.close()
        },
      ),
      { numRuns: runs(8, 200) },
    )
  },
  RANDOM_CASES_MS,
)

test('any two neighbouring characters of a script without spaces are found, in whatever they stand', async () => {
  const service = await startService()
  const texts = [
    '我想去北京大学图书馆看书',
    '昨日は東京スカイツリーへ行きました',
    'ฉันรักภาษาไทยมากที่สุด',
    '𠮷野家で食べる𩸽',
  ]
  for (const text of texts) {
    for (const field of [{ title: text }, { content: `See: ${text}!` }, { tags: [text] }]) {
      const { id } = await makeNote(service, { title: 'x', ...field })
      const units = unitsOf(text)
      for (let at = 0; at + 1 < units.length; at++) {
        const pair = `${units[at]?.text}${units[at + 1]?.text}`
        const { body } = await service.get(`/v1/notes?search=${encodeURIComponent(pair)}`)
        expect([pair, body.notes.some((found: NoteAnswer) => found.id === id)]).toEqual([pair, true])
      }
      const absent = `${units[1]?.text}${units[0]?.text}`
      const { body } = await service.get(`/v1/notes?search=${encodeURIComponent(absent)}`)
      expect([absent, body.total]).toEqual([absent, 0])
    }
  }
  service.close()
})

const FRAGMENTS = [
  '"',
  "'",
  '*',
  '-',
  '(',
  ')',
  ':',
  '^',
  '+',
  '{',
  '}',
  ',',
  '.',
  '\\',
  '%',
  ';',
  '--',
  '/*',
  ' ',
]
const OPERATORS = [
  'AND',
  'OR',
  'NOT',
  'NEAR',
  'NEAR(a b, 2)',
  'title:',
  '{title body}:',
  '-body : ',
  'rowid',
  'a',
  '語',
  'é',
  '😀',
  '\u200d',
  '\ue001',
  '\ue0011',
  'ﷺ',
  'ͺ',
  '(1)',
  '⒈',
  '½',
  '\u0301',
  '\u3099',
  '\ud83d\ude00*',
]

test(
  'no text whatsoever makes a search fail',
  async () => {
    const service = await startService()
    await makeNote(service, { title: 'a', content: 'NEAR and OR 語 é (1) AND NOT', tags: ['title'] })
    const hostile = fc
      .array(fc.oneof(fc.constantFrom(...FRAGMENTS, ...OPERATORS), fc.string({ unit: 'binary' })), {
        maxLength: 40,
      })
      .map((parts) => Array.from(parts.join('').replaceAll('\0', '')).slice(0, 500).join(''))
      .filter((text) => text !== '' && text.isWellFormed())
    await fc.assert(
      fc.asyncProperty(hostile, fc.boolean(), async (search, isSorted) => {
        const query = `search=${encodeURIComponent(search)}${isSorted ? '&sort=title' : ''}`
        const { status, body } = await service.get(`/v1/notes?${query}`)
        expect({ search, status, error: body.error }).toEqual({ search, status: 200, error: undefined })
      }),
      { numRuns: runs(150, 30_000) },
    )
    for (const search of [
      '"'.repeat(500),
      'a* '.repeat(166),
      '語'.repeat(500),
      '-a '.repeat(166),
      '('.repeat(500),
    ]) {
      expect((await service.get(`/v1/notes?search=${encodeURIComponent(search)}`)).status).toBe(200)
    }
    service.close()
  },
  RANDOM_CASES_MS,
)
