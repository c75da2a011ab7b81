import type { Random } from '../../lib/random.ts'
import type { Client, Request } from '../client.ts'
import { TAGS } from '../fixtures.ts'
import type { ExpectedNotes, KnownNote, NoteState } from '../oracle/expected-notes.ts'
import type { Violations } from '../report.ts'

const MAX_OWN = 200
const MAX_LENGTH = 20_000

export interface NoteWriterOptions {
  readonly name: string
  readonly api: Client
  readonly random: Random
  readonly expected: ExpectedNotes
  readonly violations: Violations
}

/** Writes its own notes, one request at a time. */
export class NoteWriter {
  readonly #options: NoteWriterOptions
  readonly #own: KnownNote[] = []
  #count = 0

  constructor(options: NoteWriterOptions) {
    this.#options = options
  }

  step(): Promise<void> {
    const { random } = this.#options
    if (this.#own.length < 5 || random.chance(0.2)) return this.#create()
    const [note] = this.#own.splice(random.below(this.#own.length), 1)
    if (!note) return this.#create()
    if (note.isTrashed)
      return this.#change('restore a note', note, { path: '/restore' }, { isTrashed: false })
    const changes = [this.#append, this.#edit, this.#tag, this.#untag, this.#replace, this.#trash]
    return random.pick(changes).call(this, note)
  }

  get #name(): string {
    return `${this.#options.name} note ${this.#count}`
  }

  async #create(): Promise<void> {
    const { api, expected, random } = this.#options
    this.#count += 1
    const title = this.#name
    const content = `step 0 of [[${title}]] mark${title.replaceAll(' ', '')} ${'word '.repeat(random.below(300))}end`
    const after: NoteState = { title, content, tags: [random.pick(TAGS)], isTrashed: false }
    const body = { title, content, tags: after.tags }
    const outcome = await api.send({
      name: 'write a note',
      method: 'POST',
      path: '/v1/notes',
      body,
      status: 201,
    })
    if (outcome.kind === 'done') this.#onResponse({ ...after, id: outcome.body.note.id }, outcome.body.note)
    else if (outcome.kind === 'unknown') expected.addUncertainNew(after)
  }

  #append(note: KnownNote): Promise<void> {
    const text = `line ${this.#options.random.below(1_000)}`
    if (note.content.length > MAX_LENGTH) return this.#replace(note)
    const content = `${note.content}\n\n${text}`
    return this.#change('append to a note', note, { path: '/append', body: { text } }, { content })
  }

  #edit(note: KnownNote): Promise<void> {
    const [step = ''] = /^step \d+ of/.exec(note.content) ?? []
    const next = `step ${Number(step.split(' ')[1]) + 1} of`
    const body = { old_str: step, new_str: next }
    const content = note.content.replace(step, next)
    return this.#change('edit a note', note, { path: '/edit', body }, { content })
  }

  #tag(note: KnownNote): Promise<void> {
    const tag = this.#options.random.pick(TAGS)
    const tags = [...new Set([...note.tags, tag])].sort()
    return this.#change('tag a note', note, { path: '/tags', body: { tags: [tag] } }, { tags })
  }

  #untag(note: KnownNote): Promise<void> {
    const tag = this.#options.random.pick(TAGS)
    const tags = note.tags.filter((other) => other !== tag)
    return this.#change('untag a note', note, { method: 'DELETE', path: `/tags/${tag}` }, { tags })
  }

  #replace(note: KnownNote): Promise<void> {
    const [, rest = ''] = /(mark\S+)/.exec(note.content) ?? []
    const content = `step 0 of [[${note.title}]] ${rest} ${'other '.repeat(this.#options.random.below(200))}end`
    return this.#change('patch a note', note, { method: 'PATCH', path: '', body: { content } }, { content })
  }

  #trash(note: KnownNote): Promise<void> {
    return this.#change('trash a note', note, { method: 'DELETE', path: '' }, { isTrashed: true })
  }

  async #change(
    name: string,
    note: KnownNote,
    { path, ...request }: Omit<Request, 'name'>,
    change: Partial<NoteState>,
  ): Promise<void> {
    const { api, expected } = this.#options
    const after = { ...note, ...change }
    const outcome = await api.send({ name, method: 'POST', path: `/v1/notes/${note.id}${path}`, ...request })
    if (outcome.kind === 'done') this.#onResponse(after, outcome.body.note)
    else if (outcome.kind === 'refused') this.#keep(note)
    else expected.addUncertain(note.id, after)
  }

  /** Applies the state of the note in the response, unless it was trashed. */
  #onResponse(expected: KnownNote, answer: Omit<KnownNote, 'isTrashed'> | undefined): void {
    const { id, title, content, tags } = answer ?? expected
    if (!Bun.deepEquals({ id, title, content, tags, isTrashed: expected.isTrashed }, expected))
      this.#options.violations.add('notes', `${id} was returned as ${JSON.stringify(answer)?.slice(0, 300)}`)
    this.#keep(expected)
  }

  #keep(note: KnownNote): void {
    this.#options.expected.acknowledge(note)
    this.#own.push(note)
    this.#own.splice(0, this.#own.length - MAX_OWN)
  }
}

/** The word that only this note contains. */
export const uniqueWordOf = (count: number) => `retrymark${count}`

/** Creates notes with an Idempotency-Key and retries until a response arrives: each note must exist once. */
export class RetryingWriter {
  /** The number of acknowledged notes, which are never changed. */
  written = 0

  constructor(
    private readonly api: Client,
    private readonly expected: ExpectedNotes,
  ) {}

  async step(): Promise<void> {
    const title = `retried note ${this.written}`
    const content = uniqueWordOf(this.written)
    const request = { name: 'write a note, with retries', method: 'POST', path: '/v1/notes', status: 201 }
    for (;;) {
      const headers = { 'idempotency-key': title }
      const outcome = await this.api.send({ ...request, headers, body: { title, content } })
      if (outcome.kind === 'done') {
        this.expected.acknowledge({ id: outcome.body.note.id, title, content, tags: [], isTrashed: false })
        this.written += 1
        return
      }
      await Bun.sleep(200)
    }
  }
}
