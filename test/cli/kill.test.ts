import { test } from 'bun:test'
import { runs } from '../support/counts.ts'
import { type Change, killed, type Writer } from '../support/kills.ts'
import { everyPage } from '../support/pages.ts'

const KILLS = runs(5, 50)

interface NoteState {
  readonly content: string
  readonly tags: string[]
}

function create({ name, count, random }: Writer): Change {
  const title = `${name} ${count}`
  const content = `step 0 of ${title} [[${title}]] ${'word '.repeat(random(400))}end`
  const state: NoteState = { content, tags: ['first'] }
  return { subject: title, state, send: (server) => server.post('/v1/notes', { title, ...state }) }
}

/** Appends to a note, edits it, or tags it. */
function change(writer: Writer, subject: string): Change {
  const { id = '', state } = writer.objects.get(subject) ?? {}
  const { content, tags } = state as NoteState
  const next = `step ${writer.count} of`
  const step = /step \d+ of/.exec(content)?.[0] ?? ''
  const tag = `tag ${writer.random(20)}`
  const changes = [
    ['append', { text: next }, { content: `${content}\n\n${next}`, tags }],
    [
      'edit',
      { old_str: `${step} `, new_str: `${next} ` },
      { content: content.replace(`${step} `, `${next} `), tags },
    ],
    ['tags', { tags: [tag] }, { content, tags: [...new Set([...tags, tag])].sort() }],
  ] as const
  const [path, body, after] = changes[writer.random(3)] ?? changes[0]
  return { subject, state: after, send: (server) => server.post(`/v1/notes/${id}/${path}`, body) }
}

test(
  'a kill at any moment loses no acknowledged write and leaves none half-done',
  () =>
    killed({
      kills: KILLS,
      writers: 4,
      after: (kill) => (kill * 5) % 12,
      next: (writer) => {
        const titles = [...writer.objects.keys()]
        const title = titles[writer.random(titles.length + 1)]
        return title === undefined ? create(writer) : change(writer, title)
      },
      found: async (server) => {
        const notes = await everyPage(server, '/v1/notes?sort=created_at&direction=asc&limit=200', 'notes')
        return new Map(notes.map(({ id, title, content, tags }) => [title, { id, state: { content, tags } }]))
      },
    }),
  30_000 + KILLS * 4_000,
)
