import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { splitFrontMatter } from '../../src/transfer/front-matter.ts'
import { editFrontMatter, type FrontMatterEdits } from '../../src/transfer/vault/export/front-matter-edits.ts'

/* After an edit of front matter, an import reads the new values, and every other value as before. */

const NO_EDITS: FrontMatterEdits = {
  title: 'File',
  isNewTitle: false,
  fileTitle: 'File',
  aliases: { before: [], now: [] },
  tags: { all: ['a', 'b', 'c', 'd'], inBody: new Set(), added: new Set() },
  properties: [],
}

/** Parts of front matter, with the properties and words that they hold. */
const LINES = [
  'score: 1.50   # as the shop writes it',
  'score: 3',
  'due: 2024-05-06',
  'text: |\n  two\n  lines',
  'text: >-\n  two\n  lines\n# after',
  'list:\n  - x # first\n  - "y"',
  'list:\n- x\n-\n- z',
  'list: [x, "y"] # flow',
  'anchor: &x {deep: [1, 2]}',
  'again: *x',
  'empty:',
  '# a comment',
  "quoted: 'it''s: so'",
  'multi: one\n  two',
  'map:\n  a: 1\n  b: 2',
  'date: {{date}}',
  'tab:\tx',
  '? odd\n: value',
  'Due date: soon',
  'tags: [a, b]',
  'tags:\n  - a # first\n  - "b"',
  'tags: a b',
  'tags: {{tags}}',
  'tag: &t c',
  'Tags: [*t, d]',
  'aliases: One, Two',
  'aliases:\n- One\n- &n "Two"',
  'alias: [One]',
  'title: Own',
  'title: {{title}}',
]
const NAMES = [
  'score',
  'due',
  'text',
  'list',
  'anchor',
  'again',
  'empty',
  'quoted',
  'multi',
  'map',
  'date',
  'tab',
]

const front = fc
  .tuple(fc.array(fc.constantFrom(...LINES), { maxLength: 7 }), fc.boolean(), fc.boolean())
  .map(([parts, isIndented, isWindows]) => {
    const lines = parts
      .flatMap((part) => part.split('\n'))
      .map((line) => `${isIndented ? '  ' : ''}${line}\n`)
    const text = `---\n${lines.join('')}---\n`
    return isWindows ? text.replaceAll('\n', '\r\n') : text
  })

const value = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    'yes',
    'null',
    '1.50',
    '007',
    '2024-01-02',
    'a: b',
    '- x',
    '# x',
    '{{date}}',
    'two words',
    "it's",
  ),
  fc.constantFrom(0, -1.5, 1e15, 1234567890123456, 1e21, 1e-7, true, false),
  fc.constant(['x', 1234567890123456]),
  fc.constant({ deep: { text: 'a: b' } }),
  fc.constant(undefined),
)

const edits = fc
  .record({
    title: fc.option(fc.constantFrom('New', 'null', '5', 'a: b', '{{title}}'), { nil: undefined }),
    properties: fc.dictionary(fc.constantFrom(...NAMES, 'due_date', 'fresh'), value, { maxKeys: 3 }),
    aliases: fc.subarray(['One', 'Three, four']),
    tags: fc.subarray(['a', 'b', 'c', 'd', '{{tags}}', 'new', 'two words']),
  })
  .map(
    ({ title, properties, aliases, tags }): FrontMatterEdits => ({
      title: title ?? 'Own',
      isNewTitle: title !== undefined,
      fileTitle: 'File',
      aliases: { before: ['One'], now: aliases },
      tags: {
        all: tags,
        inBody: new Set(),
        added: new Set(['new', 'two words'].filter((tag) => tags.includes(tag))),
      },
      properties: Object.entries(properties).map(([key, given]) => ({
        key,
        label: key === 'due_date' ? 'Deadline' : key,
        value: given,
      })),
    }),
  )

const read = (text: string) => splitFrontMatter(text, 'lossless').frontMatter
const isList = (name: string) => /^(?:tags?|alias(?:es)?)$/i.test(name)
const wordsOf = (values: Record<string, unknown>, names: RegExp) =>
  Object.entries(values)
    .filter(([name]) => names.test(name))
    .flatMap(([name, list]) =>
      typeof list === 'string'
        ? list.split(/^tag/i.test(name) ? /[\s,]+/ : /,/)
        : Array.isArray(list)
          ? list
          : [],
    )
    .flatMap((word) => String(word).trim() || [])

test('an edit changes the values that it names, and no others', () => {
  fc.assert(
    fc.property(front, edits, (text, wanted) => {
      const before = read(text)
      fc.pre(before !== undefined)
      const result = editFrontMatter(text, wanted)
      if (before === undefined || result === undefined) return
      const now = read(result) ?? {}
      const edited = new Map(wanted.properties.map(({ key, value: given }) => [key, given]))
      const nameOf = (name: string) => (name === 'Due date' || name === 'Deadline' ? 'due_date' : name)
      for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
        if (isList(name)) continue
        if (name === 'title') {
          if (wanted.isNewTitle) expect(now[name]).toBe(wanted.title)
          else expect(now[name]).toEqual(before[name] ?? 'Own')
        } else if (edited.has(nameOf(name))) expect(now[name]).toEqual(edited.get(nameOf(name)))
        else expect([name, now[name]]).toEqual([name, before[name]])
      }
      for (const [key, given] of edited)
        if (given !== undefined) expect(Object.keys(now).map(nameOf)).toContain(key)
      const [tags, aliases] = [wordsOf(now, /^tags?$/i), wordsOf(now, /^alias(?:es)?$/i)]
      for (const tag of tags) expect(wanted.tags.all).toContain(tag)
      for (const tag of wanted.tags.added) expect(tags).toContain(tag)
      expect(aliases.includes('One') || !wordsOf(before, /^alias(?:es)?$/i).includes('One')).toBe(
        wanted.aliases.now.includes('One') || !wordsOf(before, /^alias(?:es)?$/i).includes('One'),
      )
      if (wordsOf(before, /^alias(?:es)?$/i).includes('Two')) expect(aliases).toContain('Two')
    }),
    { numRuns: 150 },
  )
})

describe('the form of front matter', () => {
  const edited = (text: string, changes: Partial<FrontMatterEdits>) =>
    editFrontMatter(`---\n${text}---\n`, { ...NO_EDITS, ...changes })?.replace(/^---\n|---\n$/g, '')
  const property = (key: string, given: unknown, label = key) => ({
    properties: [{ key, label, value: given }],
  })

  test.each([
    ['of placeholders of templates', 'tags:\n  - {{tag}}\n  - a\naliases: {{title}}\n', {}],
    ['of a list that another one replaces', 'tags: [gone]\ntags: [a]\ntitle: x\ntitle: File\n', {}],
    ['with tabs, comments and anchors', 'a:\t&x [1]\n# c\nb: *x # d\n', {}],
  ])('%s stays without an edit', (_, text, changes) => {
    const tags = { ...NO_EDITS.tags, all: ['a', '{{tag}}'] }
    expect(edited(text, { tags, ...changes })).toBe(text)
  })

  test.each([
    ['is indented', '  a: 1\n  b: 2\n', property('c', 3), '  a: 1\n  b: 2\n  c: 3\n'],
    ['has only comments', '# mine\n', property('c', 3), '# mine\nc: 3\n'],
    ['repeats a key', 'a: 1\nb: 2\na: 3\n', property('a', 4), 'a: 1\nb: 2\na: 4\n'],
    ['repeats a key that is cleared', 'a: 1\nb: 2\na: 3\n', property('a', undefined), 'b: 2\n'],
    ['has an earlier label', 'Due date: x\n', property('due_date', 'y', 'Deadline'), 'Due date: y\n'],
    ['holds a long number', 'a: 1\n', property('a', 1234567890123456), 'a: 1.234567890123456e+15\n'],
  ])('that %s is kept', (_, text, changes, expected) => {
    expect(edited(text, changes)).toBe(expected)
  })

  test('that an edit would break is written again', () => {
    expect(edited('a: &x [1]\nb: *x\n', property('a', 2))).toBeUndefined()
  })
})

const TOML = `+++
# head
title = "Own" # the title
due = 2024-05-06
score = 1.50 # as the shop writes it
tags = [
  "a", # first
  "b"
]
text = """
two # no comment
lines = 3"""
"quoted key" = 'x'

# of the table
[extra]
score = 5
+++
`
const JSON_FRONT =
  '{\n  "title": "Own",\n  "score": 1.50,\n  "tags": ["a",  "b"],\n  "map": {"x": ["}", 2]}\n}\n'

describe('front matter in TOML and JSON', () => {
  const own = { ...NO_EDITS, title: 'Own' }
  const property = (key: string, value: unknown) => ({ ...own, properties: [{ key, label: key, value }] })
  const without = (...keys: string[]) => ({
    ...own,
    fileTitle: 'Own',
    properties: keys.map((key) => ({ key, label: key, value: undefined })),
  })
  const replaced = (gone: string, key: string) => {
    const edits = without(gone)
    return { ...edits, properties: [...edits.properties, { key, label: key, value: 2 }] }
  }
  const tagged = (all: string[], added: string[] = []) => ({
    ...own,
    fileTitle: 'Own',
    tags: { all, inBody: new Set<string>(), added: new Set(added) },
  })

  test.each([
    [TOML, own, '', ''],
    [TOML, property('score', 2), 'score = 1.50 #', 'score = 2 #'],
    [TOML, property('score', undefined), 'score = 1.50 # as the shop writes it\n', ''],
    [TOML, property('due', '2025-01-02'), '2024-05-06', '2025-01-02'],
    [TOML, property('text', 'a\n"b"'), /"""[\s\S]*"""/.exec(TOML)?.[0] ?? '', '"a\\n\\"b\\""'],
    [TOML, property('new key', [1, 'x']), "'x'\n", '\'x\'\n"new key" = [1, "x"]\n'],
    [TOML, { ...own, title: 'New', isNewTitle: true }, '"Own" #', '"New" #'],
    [TOML, tagged(['a', 'b', 'c'], ['c']), '  "b"\n', '  "b",\n  "c",\n'],
    [TOML, tagged(['b']), '  "a", # first\n', ''],
    ['+++\n"a\\"b" = 1\nc = 2\n+++\n', without('a"b'), '"a\\"b" = 1\n', ''],
    [`+++\na = '''x'''' # '\nb = 1\n+++\n`, without('b'), 'b = 1\n', ''],
    ['+++\ntags = [\n"a"\n,\n"b"\n] # all\n+++\n', tagged(['a', 'c'], ['c']), '\n"a"\n,\n"b"\n', '"a", "c"'],
    [TOML, tagged(['a', 'c'], ['c']), '  "b"\n', '  "c",\n'],
    [JSON_FRONT, own, '', ''],
    [JSON_FRONT, property('score', 2), '1.50', '2'],
    [JSON_FRONT, property('score', undefined), '"score": 1.50,\n  ', ''],
    [JSON_FRONT, property('map', undefined), ',\n  "map": {"x": ["}", 2]}', ''],
    [JSON_FRONT, property('new', true), '2]}\n', '2]},\n  "new": true\n'],
    [
      JSON_FRONT,
      without('score', 'map'),
      '"score": 1.50,\n  "tags": ["a",  "b"],\n  "map": {"x": ["}", 2]}',
      '"tags": ["a",  "b"]',
    ],
    ['{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n', without('b', 'c'), ',\n  "b": 2,\n  "c": 3', ''],
    ['{\n  "a": 1,\n  "b": 2\n}\n', without('a', 'b'), '"a": 1,\n  "b": 2', ''],
    ['{\n  "a": 1\n}\n', replaced('a', 'b'), '"a": 1', '"b": 2'],
    [JSON_FRONT, tagged(['a', 'b', 'c'], ['c']), '"b"]', '"b", "c"]'],
    [JSON_FRONT, tagged(['b']), '"a",  ', ''],
  ])('changes only the lines of an edit: %#', (text, changes, part, now) => {
    expect(editFrontMatter(text, changes)).toBe(text.replace(part, () => now))
    const windows = (unix: string) => unix.replaceAll('\n', '\r\n')
    if (!part.includes('"""'))
      expect(editFrontMatter(windows(text), changes)).toBe(windows(text.replace(part, () => now)))
  })

  test('keeps everything but a table that changes', () => {
    const inline = `"quoted key" = 'x'\nextra = { score = 6 }\n`
    expect(editFrontMatter(TOML, property('extra', { score: 6 }))).toBe(
      TOML.replace(`"quoted key" = 'x'\n`, inline).replace('[extra]\nscore = 5\n', ''),
    )
    expect(editFrontMatter(TOML, property('extra', undefined))).toBe(TOML.replace('[extra]\nscore = 5\n', ''))
  })

  test('replaces all parts of a table, and no other table', () => {
    const text = `+++
title = "Own"
a.b = """
[x]""" # of a
c = 1
a."d e".f = 2
[x.y]
b = [
  "[a]",
]

# of the list
[[list]]
c = 2
[x.z]
d = 1
[[list]]
c = 3
+++
`
    const without = (from: string, part: string) => from.replace(part, '')
    expect(editFrontMatter(text, property('a', { n: [1] }))).toBe(
      without(without(text, 'a.b = """\n[x]""" # of a\n'), 'a."d e".f = 2\n').replace(
        'c = 1\n',
        'c = 1\na = { n = [1] }\n',
      ),
    )
    expect(editFrontMatter(text, property('x', undefined))).toBe(
      without(without(text, '[x.y]\nb = [\n  "[a]",\n]\n'), '[x.z]\nd = 1\n'),
    )
    expect(editFrontMatter(text, property('list', 7))).toBe(
      without(without(text, '[[list]]\nc = 2\n'), '[[list]]\nc = 3\n').replace(
        'f = 2\n',
        'f = 2\nlist = 7\n',
      ),
    )
  })
})
