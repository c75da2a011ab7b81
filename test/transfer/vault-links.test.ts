import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runInProcess } from '../support/cli.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { makeNote } from '../support/notes.ts'
import { newVaultTest, type VaultFiles, type VaultTest } from '../support/vault.ts'

let vault: VaultTest

/** Creates a separate vault for each test of the block. */
function eachInItsVault(): void {
  beforeEach(async () => {
    vault = await newVaultTest()
  })
  afterEach(() => vault.remove())
}

/** Imports one vault once for all tests of the block. */
function allInOneVault(files: VaultFiles): void {
  beforeAll(async () => {
    vault = await newVaultTest()
    vault.write(files)
    expect((await vault.run()).exitCode).toBe(0)
  })
  afterAll(() => vault.remove())
}

const aliased = (...aliases: string[]) => `---\naliases: ${JSON.stringify(aliases)}\n---\n`
const titled = (title: string) => `---\ntitle: ${JSON.stringify(title)}\n---\n`

/** Returns the titles that the links of a note lead to; undefined for a broken link. */
async function titlesLinkedFrom(title: string): Promise<(string | undefined)[]> {
  const { id } = (await vault.notes())[title] ?? {}
  const { outgoing } = (await vault.service().get(`/v1/notes/${id}/links`)).body
  return outgoing.map(({ note }: { note: { title: string } | null }) => note?.title)
}

/** Replaces the ids of notes and files, for comparison. */
const withoutIds = (body: string) => body.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')

/** Adds to each row the title of the note that contains its text. */
const numbered = <Row extends readonly unknown[]>(rows: readonly Row[]) =>
  rows.map((row, at) => [...row, `From ${at}`] as const)

describe('a link', () => {
  const NOTES = {
    'Plain.md': 'x',
    'Two words.md': 'x',
    'folder/Deep.md': 'x',
    'folder/Same.md': 'x',
    'other/deeper/Same.md': 'x',
    'Called.md': aliased('Alias', 'Second'),
    'File name.md': titled('A title'),
    'C#.md': 'x',
    'a [b].md': 'x',
    [`${'Café'.normalize('NFD')}.md`]: 'x',
    'in/image.png': 'png',
    'in/paper (1).pdf': 'pdf',
    'in/[odd].pdf': 'pdf',
  }
  const LINKS: [written: string, rewritten: string, title: string | undefined][] = [
    // A link that the service already resolves stays unchanged.
    ['[[Plain]]', '[[Plain]]', 'Plain'],
    ['[[plain|label]]', '[[plain|label]]', 'Plain'],
    ['![[ Plain ]]', '![[ Plain ]]', 'Plain'],
    ['[[Deep]]', '[[Deep]]', 'Deep'],
    ['[[Alias]]', '[[Alias]]', 'Called'],
    ['[[A title]]', '[[A title]]', 'A title'],
    ['[[C#]]', '[[C#]]', 'C#'],
    ['[[Café]]', '[[Café]]', 'Café'],
    ['[[Missing]]', '[[Missing]]', undefined],
    ['[[Missing#Part]]', '[[Missing#Part]]', undefined],
    // Parts of notes.
    ['[[Plain#Heading]]', '[[Plain#Heading]]', 'Plain'],
    ['[[Plain#Heading|label]]', '[[Plain#Heading|label]]', 'Plain'],
    ['[[#Heading|label]]', '[[#Heading|label]]', 'From'],
    ['![[Plain#^block]]', '![[Plain#^block]]', 'Plain'],
    ['[[Plain^block]]', '[[Plain|Plain^block]]', 'Plain'],
    ['[[C##Heading]]', '[[C##Heading]]', 'C#'],
    ['[[#Heading]]', '[[#Heading]]', 'From'],
    // Paths.
    ['[[folder/Deep]]', '[[Deep|folder/Deep]]', 'Deep'],
    ['[[/folder/deep|label]]', '[[Deep|label]]', 'Deep'],
    ['[[Plain.md]]', '[[Plain|Plain.md]]', 'Plain'],
    ['[[./folder/../Plain]]', '[[Plain|./folder/../Plain]]', 'Plain'],
    ['[[../Plain]]', '[[../Plain]]', undefined],
    // A name alone means the shortest path, as in the service; the other note is linked by id.
    ['[[Same]]', '[[Same]]', 'Same'],
    ['[[deeper/Same]]', '[[ID|deeper/Same]]', 'Same'],
    ['[[other/deeper/Same#x|label]]', '[[ID#x|label]]', 'Same'],
    // Other names.
    ['[[Second]]', '[[Second]]', 'Called'],
    ['[[File name]]', '[[A title|File name]]', 'A title'],
    ['[[a title#x]]', '[[a title#x]]', 'A title'],
    // In a table.
    ['| [[Plain\\|label]] |', '| [[Plain\\|label]] |', 'Plain'],
    // Markdown.
    ['[text](Plain.md)', '[[Plain|text]]', 'Plain'],
    ['[text](Two%20words.md#a "title")', '[[Two words#a|text]]', 'Two words'],
    ['[text](<Two words.md>)', '[[Two words|text]]', 'Two words'],
    ['[a text\n  of two lines](Plain.md) x', '[[Plain|a text of two lines]] x', 'Plain'],
    ['- [no\n- text](Plain.md)', '- [no\n- text](Plain.md)', undefined],
    ['[no\n\ntext](Plain.md)', '[no\n\ntext](Plain.md)', undefined],
    ['[](Plain.md) [Plain](Plain)', '[[Plain]] [[Plain]]', 'Plain'],
    ['[a `code` \\[b\\]](./folder/Deep.md)', '[[Deep|a code (b)]]', 'Deep'],
    ['[text](Deep.md) [text](deeper/Same.md)', '[text](Deep.md) [text](deeper/Same.md)', undefined],
    ['[text](/folder/Deep.md) [text](plain.MD)', '[[Deep|text]] [[Plain|text]]', 'Deep'],
    ['[](Plain.md#a) [text](Plain#b|c)', '[[Plain#a]] [[Plain#b-c|text]]', 'Plain'],
    ['[text](a%20%5Bb%5D.md)', '[[ID|text]]', 'a [b]'],
    ['[text](Same.md)', '[text](Same.md)', undefined],
    ['[text](https://plain.md/Plain.md)', '[text](https://plain.md/Plain.md)', undefined],
    ['[text](#Plain) [text]() [text](%)', '[text](#Plain) [text]() [text](%)', undefined],
    // Files.
    ['![[image.png]]', '![[file:ID|image.png]]', undefined],
    ['[[in/image.png#x]]', '[[file:ID|image.png]]<!-- #x -->', undefined],
    [
      '![[image.png|300]] ![[image.png#x|a -- b]]',
      '![[file:ID|image.png]]<!-- 300 --> ![[file:ID|image.png]]<!-- #x|a - - b -->',
      undefined,
    ],
    ['![alt](in/image.png)', '![[file:ID|image.png]]<!-- alt -->', undefined],
    ['![](in/image.png)<!-- mine -->', '![[file:ID|image.png]]<!-- | --><!-- mine -->', undefined],
    [
      '![#1](in/image.png) ![image.png](in/image.png)',
      '![[file:ID|image.png]]<!-- |#1 --> ![[file:ID|image.png]]',
      undefined,
    ],
    ['![](in/image.png)', '![[file:ID|image.png]]', undefined],
    ['![](image.png) ![a](../in/image.png)', '![](image.png) ![a](../in/image.png)', undefined],
    ['![100x20](in/image.png)', '![[file:ID|image.png]]<!-- 100x20 -->', undefined],
    ['[p](in/paper%20\\(1\\).pdf) [p](<in/paper (1).pdf>)', '[[file:ID|p]] [[file:ID|p]]', undefined],
    ['![](<in/[odd].pdf>)', '![[file:ID|(odd).pdf]]', undefined],
    ['[p](in/paper%20\\(1\\).pdf#page=2)', '[[file:ID|p]]<!-- #page=2 -->', undefined],
    // Code.
    ['`[[Plain#a]]` ``[t](Plain.md)``', '`[[Plain#a]]` ``[t](Plain.md)``', undefined],
    ['```\n[[Plain#a]] [t](Plain.md)\n```', '```\n[[Plain#a]] [t](Plain.md)\n```', undefined],
  ]
  describe('of any form', () => {
    const written = LINKS.map(([text], at) => [`From ${at}.md`, `\r\n${text}\r\nend\r\n`])
    allInOneVault({ ...NOTES, ...Object.fromEntries(written) })

    test.each(numbered(LINKS))('%s becomes %s', async (_, rewritten, title, from) => {
      const content = withoutIds((await vault.notes())[from]?.content ?? '')
      expect(content).toBe(`\r\n${rewritten.replace('From', from)}\r\nend\r\n`)
      const linked = (await titlesLinkedFrom(from)).find((found) => found !== undefined)
      expect(linked).toBe(title?.replace('From', from))
    })
  })

  const REFERENCES: [written: string, rewritten: string][] = [
    ['[text][Ref]', '[[Plain|text]]'],
    ['![alt][pic] ![][pic]', '![[file:ID|image.png]]<!-- alt --> ![[file:ID|image.png]]'],
    [
      '[ref][] [ref]: [REF], [a `code`][ rEf ]',
      '[[Plain|ref]] [[Plain|ref]]: [[Plain|REF]], [[Plain|a code]]',
    ],
    ['> [part\\] of][second one]', '> [[Two words#part|part) of]]'],
    // Not a link.
    ['\\[ref] [x] [text][none] [ref](none.md)', '\\[ref] [x] [text][none] [ref](none.md)'],
    ['[far] [^1] `[ref]` [[ref]] [`ref`]', '[far] [^1] `[ref]` [[ref]] [`ref`]'],
    ['```\n[ref]\n```', '```\n[ref]\n```'],
  ]
  describe('by reference', () => {
    const definitions = [
      '',
      '[ref]: Plain.md',
      '[ref]: in/image.png',
      '   [PIC]: in/image.png "An image"',
      '> [second  ONE]: <Two words.md#part> (title)',
      '[far]: https://example.com/Plain.md',
      '[^1]: Plain.md',
      '[none]:',
      '```',
      '[x]: Plain.md',
      '```',
    ].join('\n')
    const written = REFERENCES.map(([text], at) => [`From ${at}.md`, `${text}\n${definitions}`])
    allInOneVault({ ...NOTES, ...Object.fromEntries(written) })

    test.each(numbered(REFERENCES))('%s becomes %s', async (_, rewritten, from) => {
      expect(withoutIds((await vault.notes())[from]?.content ?? '')).toBe(`${rewritten}\n${definitions}`)
    })
  })
})

describe('a link between notes', () => {
  eachInItsVault()

  test('with a path leads to the right one of several notes of one name', async () => {
    vault.write({
      'a/Same.md': 'a',
      'b/Same.md': 'b',
      'b/From.md': '[[Same]] [[a/Same]] [[b/Same]] [x](Same.md) [x](../a/Same.md) [[./Same]] [[../a/Same]]',
    })
    await vault.run()
    const { body } = await vault.service().get('/v1/notes?search=From')
    const { outgoing } = (await vault.service().get(`/v1/notes/${body.notes[0].id}/links`)).body
    const contents = await Promise.all(
      outgoing.map(async ({ note }: { note: { id: string } }) => {
        return (await vault.service().get(`/v1/notes/${note.id}`)).body.note.content
      }),
    )
    expect(contents.join('')).toBe('babbaba')
  })

  test('leads to the note of the folder, whatever else in the workspace has that name', async () => {
    const service = vault.service()
    await makeNote(service, { title: 'Taken', content: 'old' })
    await makeNote(service, { title: 'Holder', alias: 'Named' })
    vault.write({
      'Taken.md': '---\ncreated: 2099-01-01\n---\nnew',
      'Named.md': 'new',
      'From.md': '[[Taken]] [[Named]] [[Holder]]',
    })
    await vault.run()
    expect(withoutIds((await vault.notes()).From?.content ?? '')).toBe('[[ID|Taken]] [[ID|Named]] [[Holder]]')
    expect(await titlesLinkedFrom('From')).toEqual(['Taken', 'Named', 'Holder'])
  })

  test('to a refused note is unchanged', async () => {
    vault.write({ 'Bad.md': 'a\0b', 'From.md': '[[Bad#x]]', 'Bad/Other.md': '' })
    await vault.run('--skip-bad')
    expect((await vault.notes()).From?.content).toBe('[[Bad#x]]')
  })

  test('is unchanged if the note would become too long', async () => {
    const content = `[[Plain^x]]${'x'.repeat(1_000_000 - '[[Plain^x]]'.length)}`
    vault.write({ 'Plain.md': '', 'From.md': content })
    const { report } = await vault.report()
    expect([report.counts.links_rewritten, report.changed]).toEqual([
      0,
      [{ place: 'From.md', what: 'its links stay as they are; rewritten they would make it too long.' }],
    ])
    expect((await vault.notes()).From?.content).toBe(content)
  })
})

describe('random folders', () => {
  eachInItsVault()
  const NAMES = ['A', 'b', 'Été', 'x y', 'C#', '日本']
  const FOLDERS = ['', 'f/', 'f/g/', 'h/']
  const paths = fc
    .tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES), fc.boolean())
    .map(([folder, name, isDecomposed]) => `${folder}${isDecomposed ? name.normalize('NFD') : name}`)
  const target = fc.oneof(paths, fc.constantFrom(...NAMES, 'g/A', 'None', 'Alias 0', 'alias 1'))
  const part = fc.constantFrom('', '', '#Part', '#^block')
  const label = fc.constantFrom('', '', '|a label')
  const link = fc.tuple(target, part, label).map((words) => words.join(''))
  const folders = fc.uniqueArray(fc.tuple(paths, fc.array(link, { maxLength: 6 }), fc.boolean()), {
    // File systems differ in which names they treat as equal.
    selector: ([path]) => path.normalize('NFC'),
    minLength: 1,
    maxLength: 10,
  })

  const key = (text: string) => text.normalize('NFC').toLowerCase()

  /** A slow, simple implementation of the rules for wiki links; returns a path. */
  function meant(
    all: readonly string[],
    aliases: ReadonlyMap<string, string>,
    from: string,
    written: string,
  ) {
    const whole = key(written.split('|')[0] ?? '')
    const folder = key(from).replace(/[^/]*$/, '')
    const find = (wanted: string) => {
      const exact = [wanted, folder + wanted].map((path) => all.find((other) => key(other) === path))
      const ending = all
        .filter((path) => `/${key(path)}`.endsWith(`/${wanted}`))
        .sort((one, two) => one.split('/').length - two.split('/').length)
      return exact[0] ?? exact[1] ?? ending[0] ?? aliases.get(wanted)
    }
    for (let words = whole.split('#'); words.length > 0; words = words.slice(0, -1)) {
      const found = find(words.join('#'))
      if (found !== undefined) return found
    }
    return undefined
  }

  test(
    'have the same links afterwards as before',
    async () => {
      await fc.assert(
        fc.asyncProperty(folders, async (entries) => {
          const sorted = entries.toSorted(([one], [two]) => (one < two ? -1 : 1))
          const aliases = new Map<string, string>()
          const files: Record<string, string> = {}
          for (const [at, [path, links, hasAlias]] of sorted.entries()) {
            if (hasAlias && !aliases.has(`alias ${at % 2}`)) aliases.set(`alias ${at % 2}`, path)
            const head = `---\norigin: ${JSON.stringify(path)}\n${hasAlias ? `alias: Alias ${at % 2}\n` : ''}---\n`
            files[`${path}.md`] = head + links.map((words) => `[[${words}]]`).join('\n')
          }
          vault.remove()
          vault = await newVaultTest()
          vault.write(files)
          expect((await vault.run()).exitCode).toBe(0)
          const all = sorted.map(([path]) => path)
          for (const [path, links] of sorted) {
            const expected = links.map((words) => meant(all, aliases, path, words))
            expect([path, await originsLinkedFrom(path)]).toEqual([path, expected])
          }
          expect((await runInProcess(['check', '--db', vault.db])).out).toBe('ok\n')
        }),
        { numRuns: runs(10, 500) },
      )
    },
    RANDOM_CASES_MS,
  )

  /** Returns the paths of the notes that the links of a note lead to, from their property. */
  async function originsLinkedFrom(path: string): Promise<(string | undefined)[]> {
    const service = vault.service()
    const origins = new Map<string, string>()
    for (const { id } of (await service.get('/v1/notes?limit=200')).body.notes)
      origins.set(id, (await service.get(`/v1/notes/${id}/properties`)).body.properties.origin)
    const [id] = [...origins].find(([, origin]) => origin === path) ?? []
    const { outgoing } = (await service.get(`/v1/notes/${id}/links`)).body
    return outgoing
      .map(({ note }: { note: { id: string } | null }) => note && origins.get(note.id))
      .map(orNone)
  }

  const orNone = (origin: string | null | undefined) => origin ?? undefined
})

describe('names that differ in case only', () => {
  eachInItsVault()

  test('lead to the one that is written exactly', async () => {
    vault.write({
      'MAAS.md': 'upper',
      'MaaS.md': 'mixed',
      'deep/lower.md': 'x',
      'Lower.md': 'y',
      'x.md': '[[MAAS]] [[MaaS]] [[maas]] [[lower]] [[LOWER]]',
    })
    expect((await vault.run()).exitCode).toBe(0)
    expect(await titlesLinkedFrom('x')).toEqual(['MAAS', 'MaaS', 'MAAS', 'lower', 'Lower'])
  })
})

describe('a link in front matter', () => {
  eachInItsVault()

  test('leads to its note by path, comes back as it was, and follows the note', async () => {
    vault.write({
      'in/Person B.md': 'x',
      'other/Person B.md': 'y',
      'Person A.md':
        '---\nfriend: "[[other/Person B]]"   # mine\npeople:\n  - "[[in/Person B|Bo]]"\n  - "see [[in/Person B#Work]]"\n---\nx',
    })
    expect((await vault.run()).exitCode).toBe(0)
    const { id } = (await vault.notes())['Person A'] ?? {}
    const { outgoing } = (await vault.service().get(`/v1/notes/${id}/links`)).body
    const contentOf = async (note: { id: string }) =>
      (await vault.service().get(`/v1/notes/${note.id}`)).body.note.content
    expect(await Promise.all(outgoing.map(({ note }: { note: { id: string } }) => contentOf(note)))).toEqual([
      'y',
      'x',
      'x',
    ])
    const folder = `${vault.path}-out`
    await runInProcess(['export', folder, '--format', 'obsidian', '--db', vault.db])
    expect(await Bun.file(`${folder}/Person A.md`).text()).toContain('friend: "[[other/Person B]]"   # mine')
    await vault.service().patch(`/v1/notes/${outgoing[0].note.id}`, { title: 'Bob' })
    await runInProcess(['export', `${folder}-2`, '--format', 'obsidian', '--db', vault.db])
    const moved = await Bun.file(`${folder}-2/Person A.md`).text()
    expect(moved).toContain('friend: "[[Bob|other/Person B]]"')
    expect(moved).toContain('  - "[[in/Person B|Bo]]"')
  })
})
