import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { Glob } from 'bun'
import { parseLinks } from '../../src/notes/links/syntax.ts'
import { runInProcess } from '../support/cli.ts'
import type { NoteAnswer } from '../support/notes.ts'
import { newVaultTest, type VaultTest } from '../support/vault.ts'

/** The documentation of a runtime: about 1,400 documents by many authors, split at their second-level headings. */
const DOCUMENTS = `${import.meta.dir}/../../node_modules/bun-types/docs`
const MOST_NOTES = 2_400

/** The expected content of a note. */
interface Planned {
  readonly path: string
  readonly text: string
  readonly body: string
  readonly alias: string
  readonly tags: readonly string[]
  readonly section: number
  /** The paths of the notes that the links at its end lead to, in order. */
  readonly linked: readonly string[]
  readonly attached: string | undefined
}

/** Whether a section ends inside a code block, so that text appended to it would be code. */
const endsInCode = (part: string) => parseLinks(`${part}\n\n[[x]]`).length === 0

/** Sections without links of their own, so that every link is known. */
function* sections(): Generator<{ folder: string; name: string; body: string }> {
  for (const path of [...new Glob('**/*.mdx').scanSync(DOCUMENTS)].sort()) {
    const text = readFileSync(`${DOCUMENTS}/${path}`, 'utf8')
    const parts = text.replace(/^---\n[\s\S]*?\n---\n/, '').split(/^(?=## )/m)
    for (const [at, part] of parts.entries()) {
      const body = part
        .replaceAll('](', '] (')
        .replaceAll('[[', '[ [')
        .replaceAll(/(^|\s)#(?=[^\s#])/g, '$1# ')
      const name = at === 0 ? 'Overview' : `Part ${at}`
      if (body.trim() !== '' && !endsInCode(body)) yield { folder: path.replace(/\.mdx$/, ''), name, body }
    }
  }
}

/** A realistic vault: several notes of one name, links in every style, both kinds of tags, pictures. */
function plan(): Planned[] {
  const all = [...sections()].slice(0, MOST_NOTES)
  return all.map(({ folder, name, body }, at) => {
    const path = `${folder}/${name}.md`
    const to = [at + 1, at + 7, at * 3].map((other) => all[other % all.length] ?? { folder, name })
    const [near, far, third] = to.map((other) => ({ ...other, whole: `${other.folder}/${other.name}` }))
    const relative = encodeURI(posix.relative(folder, `${far?.whole}.md`))
    const attached = at % 10 === 0 ? `pictures/${at / 10}.png` : undefined
    const links = [
      `Next: [[${near?.whole}]], [later](${relative}#top), ![[${third?.whole}#Heading|the third]],`,
      `called [[Section ${(at + 2) % all.length}|so]] or [[section ${(at + 2) % all.length}#x]], not [[nowhere ${at}]].`,
      ...(attached === undefined ? [] : [`![[${posix.basename(attached)}|200]] ![again](/${attached})`]),
      `\`[[${near?.whole}]]\` #docs/${folder.split('/')[0]} #n${at % 50}`,
    ]
    const head = [
      '---',
      `aliases: [Section ${at}]`,
      `tags: [docs, group-${at % 7}]`,
      `section: ${at}`,
      '---',
      '',
    ]
    const second = all[(at + 2) % all.length]
    const called = `${second?.folder}/${second?.name}.md`
    return {
      path,
      text: `${head.join('\n')}${body}\n\n${links.join('\n')}\n`,
      body,
      alias: `Section ${at}`,
      tags: ['docs', `docs/${folder.split('/')[0]}`, `group-${at % 7}`, `n${at % 50}`],
      section: at,
      linked: [`${near?.whole}.md`, `${far?.whole}.md`, `${third?.whole}.md`, called, called],
      attached,
    }
  })
}

const planned = plan()
let vault: VaultTest
/** By the number that each note has as a property. */
const notes = new Map<number, NoteAnswer>()
let report: Record<string, unknown>

beforeAll(async () => {
  vault = await newVaultTest()
  vault.write(Object.fromEntries(planned.map(({ path, text }) => [path, text])))
  for (const { attached } of planned) if (attached) vault.write({ [attached]: `picture ${attached}` })
  report = (await vault.report()).report
  for (let offset = 0; offset < planned.length; offset += 200) {
    const { body } = await vault.service().get(`/v1/notes?limit=200&offset=${offset}&sort=title`)
    for (const note of body.notes) notes.set(Number(note.alias?.replace('Section ', '')), note)
  }
}, 120_000)
afterAll(() => vault.remove())

const get = async (path: string) => (await vault.service().get(path)).body
const noteAt = (section: number): NoteAnswer => {
  const note = notes.get(section)
  if (!note) throw new Error(`section ${section} is missing`)
  return note
}

describe('a vault of real documents', () => {
  test('is imported completely', async () => {
    expect(planned.length).toBeGreaterThanOrEqual(2_000)
    expect(report).toMatchObject({ refused_count: 0, changed_count: 0, written: true })
    expect((await get('/v1/workspace')).workspace.counts).toMatchObject({
      notes: planned.length,
      files: planned.filter(({ attached }) => attached).length,
      properties: 1,
    })
    for (const { section, body, tags } of planned) {
      const note = noteAt(section)
      expect(note.content.startsWith(`${body}\n\n`)).toBe(true)
      expect(note.tags).toEqual(tags.toSorted())
    }
  }, 60_000)

  test('has the same links between notes as before', async () => {
    const sectionAt = new Map(planned.map(({ path, section }) => [path, section]))
    const backlinks = new Map<string, Set<string>>()
    for (const { section, linked } of planned) {
      const { outgoing } = await get(`/v1/notes/${noteAt(section).id}/links`)
      const expected = linked.map((path) => noteAt(sectionAt.get(path) ?? -1).id)
      expect(outgoing.map(({ note }: { note: { id: string } | null }) => note?.id)).toEqual([
        ...expected,
        undefined,
      ])
      for (const id of expected) backlinks.set(id, (backlinks.get(id) ?? new Set()).add(noteAt(section).id))
    }
    for (const { section } of planned.filter((_, at) => at % 20 === 0)) {
      const { id } = noteAt(section)
      const found = (await get(`/v1/notes/${id}/links`)).backlinks.map((note: { id: string }) => note.id)
      expect(found.toSorted()).toEqual([...(backlinks.get(id) ?? [])].toSorted())
    }
  }, 60_000)

  test('counts its tags correctly', async () => {
    const expected = new Map<string, number>()
    for (const { tags } of planned) for (const tag of tags) expected.set(tag, (expected.get(tag) ?? 0) + 1)
    const { tags } = await get('/v1/tags')
    const counted = tags.map(({ name, note_count }: Record<string, unknown>) => [name, note_count])
    expect(new Map(counted)).toEqual(expected)
  })

  test('has its pictures attached to the notes that show them', async () => {
    for (const { section, attached } of planned) {
      const { files } = await get(`/v1/notes/${noteAt(section).id}/files`)
      const name = attached && posix.basename(attached)
      expect(files.map((file: { file_name: string }) => file.file_name)).toEqual(name ? [name] : [])
      if (name)
        expect(noteAt(section).content).toContain(
          `![[file:${files[0].id}|${name}]]<!-- 200 --> ![[file:${files[0].id}|${name}]]<!-- again -->`,
        )
    }
  }, 60_000)

  test('is found by its text and by its properties', async () => {
    const { properties } = await get('/v1/properties')
    expect(properties).toMatchObject([{ key: 'section', type: 'number', notes_with_value: planned.length }])
    let found = 0
    for (const { body, section } of planned.filter((_, at) => at % 100 === 0)) {
      const passage = /(?<![\p{L}\p{N}\p{M}])[a-z]{2,}(?: [a-z]{2,}){5}(?![\p{L}\p{N}\p{M}])/u.exec(body)?.[0]
      if (passage === undefined) continue
      const hits = await get(`/v1/notes?limit=200&search=${encodeURIComponent(`"${passage}"`)}`)
      expect(hits.notes.map(({ id }: NoteAnswer) => id)).toContain(noteAt(section).id)
      found += 1
    }
    expect(found).toBeGreaterThan(5)
  }, 60_000)

  test('leaves all derived data consistent', async () => {
    expect((await runInProcess(['check', '--db', vault.db])).out).toBe('ok\n')
  }, 60_000)
})
