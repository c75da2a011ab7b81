import type { AppContext, Caller } from '../../context.ts'
import type { StreamReader, StreamSource } from '../../http/sse.ts'
import { hides } from '../../kernel/caller.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Streams } from '../../people/sessions/streams.ts'

/*
 * The users who have a note open. A user is there while a stream of the note is open, so that nothing is stored and a
 * lost connection removes the user. Only callers who can read the note get this far.
 */

/** The most open streams; the limits of a user keep one user from shutting out the others. */
const MAX_OF_USER_IN_NOTE = 10
const MAX_OF_USER = 50
const MAX_IN_NOTE = 100
const MAX_IN_WORKSPACE = 1_000
const RETRY_AFTER_SECONDS = 5

/** Changes are collected for this long before they are sent. */
const MERGE_MS = 100
/** How long a report of writing holds. */
const WRITING_MS = 6_000

interface Person {
  readonly id: string
  readonly name: string
  readonly writing: boolean
  readonly line: number | null
}

/** The report of a user with the note open. */
interface Report {
  readonly writing: boolean
  readonly line?: number
}

/** A user in a note, with the streams of all tabs and devices. */
interface Participant {
  person: Person
  readonly readers: Set<StreamReader>
  stopTimer: () => void
}

/** One note that is open. */
class OpenNote {
  readonly #participants = new Map<string, Participant>()
  #stopTimer: (() => void) | undefined

  constructor(
    private readonly ctx: Pick<AppContext, 'clock'>,
    private readonly streams: Streams,
  ) {}

  get people(): Person[] {
    return Array.from(this.#participants.values(), ({ person }) => person)
  }

  get readers(): StreamReader[] {
    return [...this.#participants.values()].flatMap(({ readers }) => [...readers])
  }

  readersOf(userId: string): number {
    return this.#participants.get(userId)?.readers.size ?? 0
  }

  /** Adds a stream of a user. Returns a function that removes it. */
  enter(reader: StreamReader, { userId: id }: Caller, name: string): () => void {
    const participant = this.#participants.get(id) ?? {
      person: { id, name, writing: false, line: null },
      readers: new Set(),
      stopTimer: () => {},
    }
    this.#participants.set(id, participant)
    participant.readers.add(reader)
    this.#send(reader)
    if (participant.readers.size === 1) this.#sendSoon()
    return () => {
      participant.readers.delete(reader)
      if (participant.readers.size > 0) return
      participant.stopTimer()
      this.#participants.delete(id)
      this.#sendSoon()
    }
  }

  /** Notes what a user reports; ignores users who do not have the note open. */
  report(userId: string, { writing, line }: Report): void {
    const participant = this.#participants.get(userId)
    if (!participant) return
    participant.stopTimer()
    if (writing)
      participant.stopTimer = this.ctx.clock.after(WRITING_MS, () => this.report(userId, { writing: false }))
    const { person } = participant
    const next = { ...person, writing, line: line ?? person.line }
    if (next.writing === person.writing && next.line === person.line) return
    participant.person = next
    this.#sendSoon()
  }

  /** Sends nothing more. */
  close(): void {
    this.#stopTimer?.()
  }

  #sendSoon(): void {
    this.#stopTimer ??= this.ctx.clock.after(MERGE_MS, () => {
      this.#stopTimer = undefined
      const event = this.#event()
      void this.streams.serveAll(this.readers, (reader) => reader.send(event))
    })
  }

  #send(reader: StreamReader): void {
    reader.send(this.#event())
  }

  #event() {
    return { name: 'people', data: JSON.stringify({ people: this.people }) }
  }
}

/** The notes of a workspace that are open, by id, and the number of open streams of each user. */
interface OpenNotes {
  readonly notes: Map<string, OpenNote>
  readonly streamsOf: Map<string, number>
}

const tooMany = (sentence: string) =>
  new Refusal('rate_limited', sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS })

/** All open notes of a server. */
export class Presence {
  readonly #workspaces = new Map<number, OpenNotes>()

  constructor(
    private readonly ctx: Pick<AppContext, 'clock'>,
    private readonly streams: Streams,
  ) {}

  /** The users in a note. */
  peopleIn({ workspacePk }: Caller, noteId: string): Person[] {
    return this.#workspaces.get(workspacePk)?.notes.get(noteId)?.people ?? []
  }

  /** Ignores callers who cannot write notes. */
  report({ workspacePk, userId, mayWrite, rights }: Caller, noteId: string, report: Report): void {
    if (!mayWrite || (rights !== undefined && rights.notes !== 'write')) return
    this.#workspaces.get(workspacePk)?.notes.get(noteId)?.report(userId, report)
  }

  /** A source that sends who is in the note, and counts the caller's user among them. Refuses streams over a limit. */
  open(caller: Caller, noteId: string, name: string): StreamSource {
    this.#checkLimits(caller, noteId)
    const begin = (reader: StreamReader) => this.#enter(reader, caller, noteId, name)
    const isTouched = (rights: Caller['rights']) => hides(rights, 'notes')
    return this.streams.open(caller, 'has open', noteId, begin, isTouched)
  }

  #enter(reader: StreamReader, caller: Caller, noteId: string, name: string): () => void {
    const { workspacePk, userId } = caller
    const workspace = this.#workspaces.get(workspacePk) ?? { notes: new Map(), streamsOf: new Map() }
    this.#workspaces.set(workspacePk, workspace)
    const { notes, streamsOf } = workspace
    const note = notes.get(noteId) ?? new OpenNote(this.ctx, this.streams)
    notes.set(noteId, note)
    streamsOf.set(userId, (streamsOf.get(userId) ?? 0) + 1)
    const leave = note.enter(reader, caller, name)
    return () => {
      leave()
      const left = (streamsOf.get(userId) ?? 1) - 1
      if (left > 0) streamsOf.set(userId, left)
      else streamsOf.delete(userId)
      if (note.people.length > 0) return
      note.close()
      notes.delete(noteId)
      if (notes.size === 0) this.#workspaces.delete(workspacePk)
    }
  }

  #checkLimits({ workspacePk, userId }: Caller, noteId: string): void {
    const workspace = this.#workspaces.get(workspacePk)
    if (!workspace) return
    const { notes, streamsOf } = workspace
    const note = notes.get(noteId)
    if ((note?.readersOf(userId) ?? 0) >= MAX_OF_USER_IN_NOTE)
      throw tooMany(
        `You have this note open ${MAX_OF_USER_IN_NOTE} times already; close it in one place first.`,
      )
    if ((streamsOf.get(userId) ?? 0) >= MAX_OF_USER)
      throw tooMany(`You have notes open ${MAX_OF_USER} times already; close one first.`)
    if ((note?.readers.length ?? 0) >= MAX_IN_NOTE)
      throw tooMany(`This note is open ${MAX_IN_NOTE} times already; try again later.`)
    const total = Array.from(streamsOf.values()).reduce((sum, count) => sum + count, 0)
    if (total >= MAX_IN_WORKSPACE)
      throw tooMany(`Notes are open ${MAX_IN_WORKSPACE} times in this workspace already; try again later.`)
  }
}
