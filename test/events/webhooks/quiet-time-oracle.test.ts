import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { RANDOM_CASES_MS, runs } from '../../support/counts.ts'
import { storedValues } from '../../support/database.ts'
import { type Hooked, payloadsOf, startHooked, until } from '../../support/webhooks.ts'

/*
 * Random edits of notes, deletions, restores and restarts while the clock moves. The events must equal the result of a
 * second, plain implementation of the rules of quiet time.
 */

const QUIET_SECONDS = [0, 1, 7]
const NOTES = 2
const TITLES = ['A', 'B', 'C']

const arbitraryStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('edit' as const),
      note: fc.nat(NOTES - 1),
      title: fc.constantFrom(...TITLES),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 5_000 }) }),
  },
  fc.record({ what: fc.constant('delete' as const), note: fc.nat(NOTES - 1) }),
  fc.record({ what: fc.constant('restart' as const), ms: fc.integer({ min: 0, max: 20_000 }) }),
)
type Step = typeof arbitraryStep extends fc.Arbitrary<infer Value> ? Value : never

interface PendingNote {
  readonly before: string
  readonly first: number
  due: number
}

/** The events that one subscription must receive, note by note. */
class Model {
  readonly told: string[] = []
  readonly #waiting = new Map<number, PendingNote>()

  constructor(readonly quietMs: number) {}

  edit(note: number, before: string, after: string, now: number): void {
    const { quietMs } = this
    if (quietMs === 0) this.told.push(`${note} updated ${before} ${after}`)
    else {
      const waiting = this.#waiting.get(note) ?? { before, first: now, due: 0 }
      waiting.due = Math.min(now + quietMs, waiting.first + 10 * quietMs)
      this.#waiting.set(note, waiting)
    }
  }

  /** Advances the model to this instant, with the current notes. */
  pass(titles: readonly string[], now: number): void {
    const due = [...this.#waiting].filter(([, waiting]) => waiting.due <= now)
    for (const [note] of due.sort(([, left], [, right]) => left.due - right.due)) this.#send(note, titles)
  }

  trash(note: number, titles: readonly string[]): void {
    this.#send(note, titles)
    this.told.push(`${note} deleted`)
  }

  #send(note: number, titles: readonly string[]): void {
    const waiting = this.#waiting.get(note)
    this.#waiting.delete(note)
    if (waiting && waiting.before !== titles[note])
      this.told.push(`${note} updated ${waiting.before} ${titles[note]}`)
  }
}

async function run(hooked: Hooked, steps: readonly Step[]): Promise<void> {
  const { clock } = hooked
  const send = async () => ({ status: 200, error: null })
  hooked.start(send)
  const models: Model[] = []
  const ids: string[] = []
  for (const quiet_seconds of QUIET_SECONDS) {
    const events = ['note.updated', 'note.deleted']
    const hook = { kind: 'note', url: hooked.url, events, quiet_seconds }
    ids.push((await hooked.post('/v1/webhooks', hook)).body.webhook.id)
    models.push(new Model(quiet_seconds * 1_000))
  }
  const titles = Array.from({ length: NOTES }, () => 'A')
  const notes = await Promise.all(
    titles.map(async (title): Promise<string> => (await hooked.post('/v1/notes', { title })).body.note.id),
  )
  const pass = async () => {
    for (const model of models) model.pass(titles, clock.now())
    const late = 'SELECT count(*) FROM webhook_waiting WHERE due_at <= ?'
    await until(() => storedValues(hooked, late, clock.now())[0] === 0)
  }
  for (const step of steps) {
    if (step.what === 'edit') {
      const before = titles[step.note] ?? ''
      await hooked.patch(`/v1/notes/${notes[step.note]}`, { title: step.title })
      if (before === step.title) continue
      titles[step.note] = step.title
      for (const model of models) model.edit(step.note, before, step.title, clock.now())
    } else if (step.what === 'delete') {
      await hooked.delete(`/v1/notes/${notes[step.note]}`)
      await hooked.post(`/v1/notes/${notes[step.note]}/restore`)
      for (const model of models) model.trash(step.note, titles)
    } else {
      if (step.what === 'restart') await hooked.stop()
      clock.advance(step.ms)
      if (step.what === 'restart') hooked.start(send)
    }
    await pass()
  }
  clock.advance(100_000)
  await pass()
  for (const [at, model] of models.entries()) {
    const told = (await payloadsOf(hooked, ids[at] ?? '')).map(({ type, data }) => {
      const note = notes.indexOf(data.note.id)
      return type === 'note.deleted'
        ? `${note} deleted`
        : `${note} updated ${data.previous.title} ${data.note.title}`
    })
    const ofNote = (list: readonly string[], note: number) => list.filter((one) => one.startsWith(`${note} `))
    for (const note of notes.keys()) expect(ofNote(told, note)).toEqual(ofNote(model.told, note))
  }
}

test(
  'updates follow the rules of quiet time, whatever happens between them',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryStep, { minLength: 1, maxLength: 25 }), async (steps) => {
        const hooked = await startHooked({ start: false })
        await run(hooked, steps)
        await hooked.end()
      }),
      { numRuns: runs(8, 500) },
    )
  },
  RANDOM_CASES_MS,
)
