import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { runInProcess } from '../support/cli.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { newVaultTest, type VaultTest } from '../support/vault.ts'

let vault: VaultTest

beforeEach(async () => {
  vault = await newVaultTest()
})
afterEach(() => vault.remove())

const bomb = () => {
  const lines = ['a: &a [x, x, x, x, x, x, x, x, x]']
  for (const [at, name] of [...'bcdefghi'].entries())
    lines.push(`${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(', ')}]`)
  return lines.join('\n')
}

test('symbolic links are not followed: out of the folder, in a circle, to nothing', async () => {
  const outside = join(vault.path, '..', 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret.md'), 'secret')
  vault.write({ 'in/Note.md': '[[secret]] ![[key.txt]]' })
  symlinkSync(outside, join(vault.path, 'away'))
  symlinkSync(join(outside, 'secret.md'), join(vault.path, 'secret.md'))
  symlinkSync(join(outside, 'secret.md'), join(vault.path, 'key.txt'))
  symlinkSync(vault.path, join(vault.path, 'in/circle'))
  symlinkSync('nowhere', join(vault.path, 'dead.md'))
  const { exitCode, report } = await vault.report()
  expect([
    exitCode,
    report.counts,
    report.skipped.map(({ place }: { place: string }) => place),
  ]).toMatchObject([
    0,
    { notes: 1, tags: 0, properties: 0, files: 0, links_rewritten: 0 },
    ['away', 'dead.md', 'in/circle', 'key.txt', 'secret.md'],
  ])
  expect((await vault.notes()).Note?.content).toBe('[[secret]] ![[key.txt]]')
})

test('links do not lead out of the folder', async () => {
  writeFileSync(join(vault.path, '..', 'secret.txt'), 'secret')
  const body =
    '![[../secret.txt]] [x](../secret.txt) [x](/etc/passwd) [x](%2e%2e/secret.txt) [[../../etc/passwd]]'
  vault.write({ 'Note.md': body, 'etc/Note 2.md': '' })
  await vault.run()
  expect((await vault.notes()).Note?.content).toBe(body)
})

describe('front matter', () => {
  test.each([
    ['whose aliases multiply', bomb()],
    ['that holds itself', 'a: &a [*a]'],
    ['that is nested without end', `a: ${'['.repeat(20_000)}`],
    ['that is no map', '- a\n- b'],
    ['of two documents', 'a: 1\n--- \nb: 2'],
  ])('%s is no harm', async (_, yaml) => {
    vault.write({ 'Note.md': `---\n${yaml}\n---\nbody` })
    expect((await vault.run()).exitCode).toBe(0)
    expect((await vault.notes()).Note?.content).toEndWith('body')
  })

  test('nested deeper than values may be is refused', async () => {
    vault.write({ 'Note.md': `---\na: ${'['.repeat(200)}${']'.repeat(200)}\n---\n` })
    expect((await vault.report()).report.refused).toEqual([
      { place: 'Note.md', reason: 'The front matter is nested more than 100 levels deep.' },
    ])
  })

  test('with the names of built-in object members is front matter like any other', async () => {
    vault.write({ 'Note.md': '---\n__proto__: 1\nconstructor: 2\ntoString: 3\n---\n' })
    expect((await vault.run()).exitCode).toBe(0)
    const { id } = (await vault.notes()).Note ?? {}
    expect((await vault.service().get(`/v1/notes/${id}/properties`)).body.properties).toEqual({
      proto: 1,
      constructor: 2,
      tostring: 3,
    })
  })
})

test('folders nested deeper than the longest possible path are refused or read', async () => {
  const deep = Array(200).fill('folder').join('/')
  vault.write({ [`${deep}/Note.md`]: 'deep' })
  expect((await vault.run()).exitCode).toBe(0)
  expect((await vault.notes()).Note?.content).toBe('deep')
})

// Root can read every file.
test.skipIf(process.getuid?.() === 0)('a file without read permission is refused with its path', async () => {
  vault.write({ 'Note.md': 'x', 'Shut.md': 'x', 'shut/Note.md': 'x' })
  chmodSync(join(vault.path, 'Shut.md'), 0)
  chmodSync(join(vault.path, 'shut'), 0)
  const { report } = await vault.report()
  chmodSync(join(vault.path, 'shut'), 0o755)
  expect(report.refused).toEqual([
    { place: 'shut', reason: 'it cannot be read (EACCES); check its permissions.' },
    { place: 'Shut.md', reason: 'it cannot be read (EACCES); check its permissions.' },
  ])
})

test(
  'any text without links into the folder is imported byte for byte, and nothing breaks',
  async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.constantFrom(
        '[[',
        ']]',
        '[',
        '](',
        ']:',
        ')',
        '|',
        '#',
        '`',
        '```\n',
        '---\n',
        '...\n',
        '\n',
        '\r\n',
        '\\',
        '../',
      ),
      fc.constantFrom('tags: ', 'a: ', '- ', '"', '&a ', '*a', '{', '}', '!!set ', '%', '<', '>', '^', '![['),
    )
    const text = fc
      .array(piece, { maxLength: 30 })
      .map((pieces) => pieces.join('').replaceAll('\0', '').toWellFormed())
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 8 }), async (texts) => {
        vault.remove()
        vault = await newVaultTest()
        vault.write(
          Object.fromEntries(texts.map((body, at) => [`the note ${at}.md`, `---\na: 1\n---\n${body}`])),
        )
        const { exitCode, err } = await vault.run()
        expect([exitCode, err]).toEqual([0, ''])
        const notes = await vault.notes()
        for (const [at, body] of texts.entries())
          if (!/\[\[\s*[#^]/.test(body)) expect(notes[`the note ${at}`]?.content).toBe(body)
        expect((await runInProcess(['check', '--db', vault.db])).out).toBe('ok\n')
      }),
      { numRuns: runs(10, 500) },
    )
  },
  RANDOM_CASES_MS,
)

test(
  'any text is imported or refused, whatever its front matter contains',
  async () => {
    const yaml = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc
        .dictionary(
          fc.constantFrom('title', 'tags', 'aliases', 'created', 'updated', 'x', 'y z', '数'),
          fc.jsonValue(),
        )
        .map((map) => JSON.stringify(map)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(yaml, { minLength: 1, maxLength: 8 }), async (all) => {
        vault.remove()
        vault = await newVaultTest()
        vault.write(Object.fromEntries(all.map((said, at) => [`n${at}.md`, `---\n${said}\n---\nbody`])))
        const { exitCode, err } = await vault.run('--skip-bad')
        expect([exitCode, err]).toEqual([0, ''])
        expect((await runInProcess(['check', '--db', vault.db])).out).toBe('ok\n')
      }),
      { numRuns: runs(10, 500) },
    )
  },
  RANDOM_CASES_MS,
)
