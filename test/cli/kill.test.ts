import { afterAll, beforeAll, expect, test } from 'bun:test'
import { runInProcess } from '../support/cli.ts'
import { runs } from '../support/counts.ts'
import { whenAcknowledged } from '../support/kills.ts'
import { newFolder, type ServeOptions, type ServerProcess, startProcess } from '../support/process.ts'
import { randomSource } from '../support/random.ts'
import type { Answer } from '../support/service.ts'

const KILLS = runs(5, 50)
const WRITERS = 4

/** The content of a note: as acknowledged, or as it would be after the write in progress. */
interface Content {
  content: string
  tags: string[]
}

interface Underway {
  /** Undefined while a note is being created: its title is known, its id not yet. */
  id: string | undefined
  title: string
  after: Content
}

let folder: ReturnType<typeof newFolder>

beforeAll(() => {
  folder = newFolder()
})
afterAll(() => folder.remove())

/** One connection that writes until the server is gone: creates, appends, edits and tags, one after another. */
class Writer {
  readonly acknowledged = new Map<string, Content>()
  inProgress: Underway | undefined
  #count = 0

  constructor(
    readonly name: string,
    readonly random: (below: number) => number,
  ) {}

  async writeUntilGone(server: ServerProcess): Promise<void> {
    for (;;) {
      // No answer, or half of one: the server was killed.
      const answer = await this.#write(server).catch(() => undefined)
      if (!answer) return
      expect([200, 201]).toContain(answer.status)
      const { id, content, tags } = answer.body.note
      const written: Content = { content, tags }
      expect<Content | undefined>(written).toEqual(this.inProgress?.after)
      this.acknowledged.set(id, written)
      this.inProgress = undefined
    }
  }

  #write(server: ServerProcess): Promise<Answer> {
    const ids = [...this.acknowledged.keys()]
    const id = ids[this.random(ids.length + 1)]
    const known = id === undefined ? undefined : this.acknowledged.get(id)
    return id && known ? this.#change(server, id, known) : this.#create(server)
  }

  #create(server: ServerProcess): Promise<Answer> {
    const title = `${this.name} ${this.#count++}`
    const after = {
      content: `step 0 of ${title} [[${title}]] ${'word '.repeat(this.random(400))}end`,
      tags: ['first'],
    }
    this.inProgress = { id: undefined, title, after }
    return server.post('/v1/notes', { title, ...after })
  }

  #change(server: ServerProcess, id: string, { content, tags }: Content): Promise<Answer> {
    const step = /step (\d+) of/.exec(content)?.[0] ?? ''
    const next = `step ${Number(/\d+/.exec(step)?.[0]) + 1} of`
    const tag = `tag ${this.random(20)}`
    const changes = [
      { path: 'append', body: { text: next }, after: { content: `${content}\n\n${next}`, tags } },
      {
        path: 'edit',
        body: { old_str: `${step} `, new_str: `${next} ` },
        after: { content: content.replace(`${step} `, `${next} `), tags },
      },
      { path: 'tags', body: { tags: [tag] }, after: { content, tags: [...new Set([...tags, tag])].sort() } },
    ] as const
    const [append, edit, tagging] = changes
    const change = this.random(3) === 0 ? tagging : content.split(`${step} `).length === 2 ? edit : append
    this.inProgress = { id, title: '', after: { ...change.after, tags: [...change.after.tags] } }
    return server.post(`/v1/notes/${id}/${change.path}`, change.body)
  }
}

async function allNotes(server: ServerProcess) {
  const notes: ({ id: string; title: string } & Content)[] = []
  for (;;) {
    const { body } = await server.get(
      `/v1/notes?sort=created_at&direction=asc&limit=200&offset=${notes.length}`,
    )
    notes.push(...body.notes)
    if (!body.has_more) return notes
  }
}

/** Every acknowledged note is as it was acknowledged, or as the write in progress made it; there is nothing else. */
async function verify(server: ServerProcess, writers: readonly Writer[]): Promise<void> {
  const found = new Map((await allNotes(server)).map((note) => [note.id, note]))
  for (const { acknowledged, inProgress } of writers) {
    for (const [id, wanted] of acknowledged) {
      const note = found.get(id)
      const stored = { content: note?.content ?? 'lost', tags: note?.tags ?? [] }
      const wasInProgress =
        inProgress?.id === id && JSON.stringify(stored) === JSON.stringify(inProgress.after)
      expect(stored).toEqual(wasInProgress ? inProgress.after : wanted)
      acknowledged.set(id, stored)
      found.delete(id)
    }
  }
  for (const { id, title, content, tags } of found.values()) {
    const writer = writers.find(
      ({ inProgress }) => inProgress?.id === undefined && inProgress?.title === title,
    )
    expect({ title, content, tags }).toEqual({
      title: writer?.inProgress?.title ?? 'nobody sent it',
      content,
      tags,
    })
    expect({ content, tags }).toEqual(writer?.inProgress?.after ?? { content: '', tags: [] })
    writer?.acknowledged.set(id, { content, tags })
  }
  for (const writer of writers) writer.inProgress = undefined
}

test(
  'a kill at any moment loses no acknowledged write and leaves none half-done',
  async () => {
    const db = folder.file('daybook.db')
    const random = randomSource(20_261_121)
    const writers = Array.from({ length: WRITERS }, (_, at) => new Writer(`writer ${at}`, random))
    const options: ServeOptions = { args: ['--log-level', 'warn'] }
    let server = await startProcess(db, options)
    const { key } = server
    for (let kill = 0; kill < KILLS; kill++) {
      const writing = writers.map((writer) => writer.writeUntilGone(server))
      await whenAcknowledged(writers, random(12))
      expect(await server.end('SIGKILL')).toBe(null)
      await Promise.all(writing)
      server = await startProcess(db, { ...options, key })
      await verify(server, writers)
      expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
    }
    expect(await server.end()).toBe(0)
  },
  30_000 + KILLS * 3_000,
)
