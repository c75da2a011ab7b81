import { describe, expect, test } from 'bun:test'
import { History } from '../support/change-history.ts'
import { contentsOf } from '../support/changes.ts'
import { runs } from '../support/counts.ts'
import { randomSource } from '../support/random.ts'
import { declare } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

const HISTORIES = runs(6, 500)
const STEPS = 40

/** The state that undoing a write must restore, without the times and the tags that the write created. */
async function stateOf(service: TestService): Promise<Record<string, unknown>> {
  const contents = await contentsOf(service)
  const entries = Object.entries(contents).filter(([name]) => !name.startsWith('tag '))
  return Object.fromEntries(
    entries.map(([name, object]) => {
      const { updated_at: _, ...rest } = object as Record<string, unknown>
      return [name, rest]
    }),
  )
}

const endOf = async (service: TestService): Promise<string> =>
  (await service.get('/v1/changes?after=now')).body.cursor

/** Returns the transactions since a cursor. */
async function transactionsSince(service: TestService, cursor: string): Promise<string[]> {
  const { body } = await service.get(`/v1/changes?limit=1000&after=${cursor}`)
  return [...new Set<string>(body.changes.map(({ transaction }: { transaction: string }) => transaction))]
}

describe('undoing a random write', () => {
  test(
    'gives the state before it, and undoing the undo the state after it; a refusal writes nothing',
    async () => {
      const seen = { undone: 0, refused: 0 }
      for (let seed = 1; seed <= HISTORIES; seed++) {
        const service = await startService()
        const history = new History(service, seed + 10_000)
        for (let at = 0; at < STEPS; at++) {
          const before = await stateOf(service)
          const cursor = await endOf(service)
          await history.step()
          const [transaction, ...others] = await transactionsSince(service, cursor)
          if (transaction === undefined || others.length > 0 || at < STEPS / 4) continue
          const after = await stateOf(service)
          const end = await endOf(service)
          const dry = await service.post('/v1/changes/undo', { transaction, dry_run: true })
          expect({ seed, at, state: await stateOf(service), end: await endOf(service) }).toEqual({
            seed,
            at,
            state: after,
            end,
          })
          const { status, body } = await service.post('/v1/changes/undo', { transaction })
          expect(dry.status).toBe(status)
          if (status !== 200) {
            expect([400, 404, 409]).toContain(status)
            expect({ seed, at, state: await stateOf(service), end: await endOf(service) }).toEqual({
              seed,
              at,
              state: after,
              end,
            })
            seen.refused += 1
            continue
          }
          expect(dry.body).toEqual({ undone: body.undone, transaction: null })
          expect({ seed, at, state: await stateOf(service) }).toEqual({ seed, at, state: before })
          seen.undone += 1
          if (body.transaction === null) continue
          expect(await transactionsSince(service, end)).toEqual([body.transaction])
          const again = await service.post('/v1/changes/undo', { transaction: body.transaction })
          expect({ seed, at, status: again.status, error: again.body.error }).toEqual({
            seed,
            at,
            status: 200,
            error: undefined,
          })
          expect({ seed, at, state: await stateOf(service) }).toEqual({ seed, at, state: after })
        }
        service.close()
      }
      expect(seen.undone).toBeGreaterThan(HISTORIES)
      expect(seen.refused).toBeGreaterThan(HISTORIES)
    },
    HISTORIES * 20_000,
  )
})

/** Writes random notes, rows or comments, mostly to the same few objects. Refusals write nothing. */
async function writeSomething(service: TestService, random: (below: number) => number): Promise<void> {
  const idsOf = async (path: string, name: string): Promise<string[]> =>
    ((await service.get(path)).body[name] ?? []).map(({ id }: { id: string }) => id)
  const one = async (path: string, name: string) => {
    const ids = await idsOf(path, name)
    return ids[random(ids.length)] ?? 'none'
  }
  const note = () => one('/v1/notes', 'notes')
  const row = () => one('/v1/records?structure=Rows', 'records')
  const data = { a: String(random(6)), b: random(4) === 0 ? null : random(9) }
  const content = ['', 'text', '[[n1]]'][random(3)]
  const commented = async (): Promise<Record<string, string>> =>
    random(2) === 0 ? { note_id: await note() } : { record_id: await row() }
  const comment = async () => one(`/v1/comments?${new URLSearchParams(await commented())}`, 'comments')
  const text = `c${random(9)}`
  const steps = [
    () => service.post('/v1/records', { structure: 'Rows', rows: [{ data }], on_conflict: 'update' }),
    async () => service.patch(`/v1/records/${await row()}`, { data }),
    async () => service.delete(`/v1/records/${await row()}`),
    async () =>
      service.post(`/v1/records/${await one('/v1/records?structure=Rows&deleted=true', 'records')}/restore`),
    () => service.post('/v1/notes', { title: `n${random(3)}`, content, tags: [`t${random(3)}`] }),
    async () => service.patch(`/v1/notes/${await note()}`, { title: `n${random(3)}`, content, alias: 'a' }),
    async () => service.patch(`/v1/notes/${await note()}`, { aliases: [['b'], ['b', 'c'], []][random(3)] }),
    async () =>
      service.patch(`/v1/notes/${await note()}`, { pinned: random(2) === 0, tags: [`t${random(3)}`] }),
    async () => service.delete(`/v1/notes/${await note()}`),
    async () => service.post(`/v1/notes/${await one('/v1/notes/trash', 'notes')}/restore`),
    async () => service.post('/v1/comments', { ...(await commented()), text }),
    async () => service.post('/v1/comments', { thread: await comment(), text }),
    async () => service.patch(`/v1/comments/${await comment()}`, { text, resolved: random(2) === 0 }),
    async () => service.delete(`/v1/comments/${await comment()}`),
  ]
  await steps[random(steps.length)]?.()
}

test(
  'undoing all writes since a moment, newest first, gives the states before them',
  async () => {
    for (let seed = 1; seed <= HISTORIES; seed++) {
      const service = await startService()
      const random = randomSource(seed)
      await declare(service, 'Rows', [
        { key: 'a', type: 'text', unique: true },
        { key: 'b', type: 'number' },
      ])
      for (let at = 0; at < 10; at++) await writeSomething(service, random)
      const done: { transaction: string; before: Record<string, unknown> }[] = []
      for (let at = 0; at < 15; at++) {
        const before = await stateOf(service)
        const cursor = await endOf(service)
        service.clock.advance(random(3))
        await writeSomething(service, random)
        for (const transaction of await transactionsSince(service, cursor)) done.push({ transaction, before })
      }
      for (const { transaction, before } of done.toReversed()) {
        const { status, body } = await service.post('/v1/changes/undo', { transaction })
        expect({ seed, status, error: body.error }).toEqual({ seed, status: 200, error: undefined })
        expect({ seed, state: await stateOf(service) }).toEqual({ seed, state: before })
        if (body.undone.length === 0) continue
        const again = await service.post('/v1/changes/undo', { transaction })
        expect([again.status, again.body.code]).toEqual([409, 'stale'])
      }
      service.close()
    }
  },
  HISTORIES * 20_000,
)
