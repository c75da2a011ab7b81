import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type LoadedDocument, loadDocuments } from '../../scripts/dev/load-documents.ts'
import { parseLinks } from '../../src/lib/wiki-links.ts'
import { hasManyCases } from '../support/counts.ts'
import { readNote, revisionsOf } from '../support/notes.ts'
import { startService, type TestService } from '../support/service.ts'

/** The documentation of the installed packages: some fifteen hundred documents by many authors. */
const FOLDER = `${import.meta.dir}/../../node_modules`

let service: TestService
let server: Bun.Server<undefined>
let loaded: LoadedDocument[]

const load = () => loadDocuments({ url: server.url.href, key: service.key ?? '' }, FOLDER)

beforeAll(async () => {
  service = await startService()
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => service.app.fetch(request) })
  loaded = await load()
}, 120_000)

afterAll(async () => {
  await server.stop(true)
  service.close()
})

const textOf = ({ path }: LoadedDocument) => Bun.file(`${FOLDER}/${path}`).text()
const everyNth = (step: number) => loaded.filter((_, at) => at % step === 0)

/** Returns a few consecutive words from the middle of a document, as a user would remember them. */
function passageOf(text: string): string | undefined {
  const sentences =
    text.match(/(?<![\p{L}\p{N}\p{M}])[a-z]{2,}(?: [a-z]{2,}){5}(?![\p{L}\p{N}\p{M}])/gu) ?? []
  return sentences[Math.floor(sentences.length / 2)]
}

describe('real documents', () => {
  test('are all there, byte for byte', async () => {
    expect(loaded.length).toBeGreaterThanOrEqual(500)
    expect((await service.get('/v1/notes?limit=1')).body.total).toBe(loaded.length)
    for (const document of everyNth(7)) {
      expect((await readNote(service, document.noteId)).content).toBe(await textOf(document))
    }
  }, 60_000)

  test('are found by passages from their middle', async () => {
    const documents = everyNth(hasManyCases ? 5 : 15)
    let found = 0
    for (const document of documents) {
      const passage = passageOf(await textOf(document))
      if (passage === undefined) continue
      const { body } = await service.get(`/v1/notes?limit=200&search=${encodeURIComponent(`"${passage}"`)}`)
      const ids = body.notes.map(({ id }: { id: string }) => id)
      expect([passage, body.total > 200 || ids.includes(document.noteId)]).toEqual([passage, true])
      found += 1
    }
    expect(found).toBeGreaterThan(documents.length / 3)
  }, 60_000)

  test('are totalled as a plain search of every document counts them', async () => {
    const texts = await Promise.all(loaded.map(textOf))
    const folders = loaded.map(({ path }) => path.split('/')[0])
    for (const word of ['sqlite', 'typescript', 'websocket', 'unicode', 'lockfile']) {
      const isWholeWord = new RegExp(`(?<![\\p{L}\\p{N}\\p{M}])${word}(?![\\p{L}\\p{N}\\p{M}])`, 'iu')
      const holding = texts.filter(
        (text, at) => isWholeWord.test(text) || isWholeWord.test(folders[at] ?? ''),
      )
      const { body } = await service.get(`/v1/notes?search=${word}&limit=1`)
      expect([word, body.total]).toEqual([word, holding.length])
    }
  }, 60_000)

  test('hold no links but those they show, and are linked by their paths', async () => {
    const chosen = everyNth(50)
    const content = chosen.map(({ path }) => `- [[${path}]]`).join('\n')
    const { note } = (await service.post('/v1/notes', { title: 'Index of documents', content })).body
    const { outgoing } = (await service.get(`/v1/notes/${note.id}/links`)).body
    expect(outgoing.map((link: { note: { id: string } | null }) => link.note?.id)).toEqual(
      chosen.map(({ noteId }) => noteId),
    )
    for (const document of chosen) {
      const links = (await service.get(`/v1/notes/${document.noteId}/links`)).body
      expect(links.backlinks).toContainEqual({
        id: note.id,
        title: 'Index of documents',
        updated_at: note.updated_at,
      })
      expect(links.outgoing).toHaveLength(parseLinks(await textOf(document)).length)
    }
  }, 60_000)

  test('keep what an edit replaced, and loading them again sets them back', async () => {
    const chosen = everyNth(100)
    for (const { noteId } of chosen) {
      await service.post(`/v1/notes/${noteId}/append`, { text: 'A zebra was here.', heading: 'Log' })
    }
    expect((await service.get('/v1/notes?search=zebra+"was+here"')).body.total).toBe(chosen.length)
    expect(await load()).toHaveLength(loaded.length)
    for (const document of chosen) {
      const text = await textOf(document)
      const [edited, original] = await revisionsOf(service, document.noteId)
      expect(edited?.content).toEndWith('## Log\n\nA zebra was here.')
      expect(original?.content).toBe(text)
      expect((await readNote(service, document.noteId)).content).toBe(text)
    }
    expect((await service.get('/v1/notes?search=zebra')).body.total).toBe(0)
  }, 120_000)
})
