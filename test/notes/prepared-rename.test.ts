import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { undoPreparation, undoTask } from '../../src/change-feed/undo.ts'
import { fileRename, fileRenamePreparation } from '../../src/files/service.ts'
import { noteRename, renamePreparation } from '../../src/notes/writing/rename.ts'
import { removeSomeTrashedBefore } from '../../src/notes/writing/trash.ts'
import { callerOf, runInProcess } from '../support/cli.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { makeFile } from '../support/files.ts'
import { makeNote, type NoteAnswer, readNote } from '../support/notes.ts'
import { newFolder, startProcess } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

/*
 * Bodies with many links are rewritten before the transaction that writes them, while others write. Whatever they write
 * meanwhile, the outcome is that of a rename, or an undo, which does everything in its transaction.
 */

const folder = newFolder()
let files = 0
afterAll(() => folder.remove())

const NOTES = 40
const MANY = Array.from({ length: 2_100 }, (_, at) => `[[Other ${at}]]`).join(' ')
const BODIES = [
  '[[Ada]]',
  '[[ada|her]] and [[Ada]]',
  '[[countess]]',
  '`[[Ada]]`',
  'none',
  '[[ Ada ]] [[Note 3]]',
  `[[Ada]] ${MANY}`,
]
const bodyOf = (at: number) => `${at} ${BODIES[at % 5]}`

/** What somebody else does between the preparation and the transaction. */
const arbitraryEdit = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ edit: fc.constant('body' as const), at: fc.nat(NOTES - 1), body: fc.nat(6) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      edit: fc.constantFrom('title', 'trash', 'purge', 'tag', 'append'),
      at: fc.nat(NOTES - 1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ edit: fc.constantFrom('new', 'taken', 'content'), at: fc.nat(6) }) },
)
type Edit = typeof arbitraryEdit extends fc.Arbitrary<infer Value> ? Value : never

interface World {
  readonly service: TestService
  readonly ada: NoteAnswer
  readonly notes: readonly NoteAnswer[]
}

async function start(): Promise<World> {
  const service = await startService({ file: folder.file(`${++files}.db`) })
  const ada = await makeNote(service, { title: 'Ada', content: '[[ada]]', alias: 'countess' })
  const notes: NoteAnswer[] = []
  for (let at = 0; at < NOTES; at++)
    notes.push(await makeNote(service, { title: `Note ${at}`, content: bodyOf(at) }))
  return { service, ada, notes }
}

async function apply({ service, ada, notes }: World, change: Edit): Promise<void> {
  const note = `/v1/notes/${notes[change.at]?.id}`
  const body = BODIES['body' in change ? change.body : change.at]
  const actions = {
    body: () => service.patch(note, { content: `changed ${body}` }),
    append: () => service.post(`${note}/append`, { text: '[[Ada]]' }),
    title: () => service.patch(note, { title: 'Renamed' }),
    tag: () => service.patch(note, { tags: ['new'] }),
    trash: () => service.delete(note),
    purge: async () => {
      await service.delete(note)
      service.clock.advance(1)
      await service.ctx.db.write((tx): void => {
        while (removeSomeTrashedBefore(tx, service.clock.now()) !== 'nothing') {}
      })
    },
    new: () => makeNote(service, { title: 'New', content: body }),
    // The note that is renamed does not get the links of a name that leads to another one.
    taken: () => makeNote(service, { title: 'Other', alias: 'grace' }),
    content: () => service.patch(`/v1/notes/${ada.id}`, { content: `own ${body}` }),
  }
  await actions[change.edit]()
}

const ID = /[0-9a-f]{8}-[0-9a-f-]{27}/g

/** Everything that one can see, without ids and times, and without the order of what one transaction changed. */
async function outcome({ service }: World): Promise<unknown> {
  const { sql } = service.ctx.db
  await service.get('/v1/graph')
  const names = new Map<unknown, string>(sql.rows<[string, string]>('SELECT id, title || pk FROM notes'))
  const named = (rows: unknown) => JSON.stringify(rows).replaceAll(ID, (id) => names.get(id) ?? 'gone')
  const { changes } = (await service.get('/v1/changes?before=now&limit=200')).body
  const logged = changes.map((change: Record<string, unknown>) => [
    change.op,
    names.get(change.id),
    change.changed,
    change.transaction === changes[0].transaction,
  ])
  return {
    notes: named(
      sql.rows(`SELECT title, pk, deleted_at IS NULL, updated_at, (SELECT content FROM note_bodies WHERE note = pk)
        FROM notes ORDER BY pk`),
    ),
    links: named(sql.rows('SELECT note, count(*), max(target) FROM note_links GROUP BY note ORDER BY note')),
    revisions: named(sql.rows('SELECT note, title, content, surface FROM revisions ORDER BY note, pk')),
    logged: logged.map(String).sort(),
    found: (await service.get('/v1/notes?search=countess&sort=title&limit=200')).body.total,
  }
}

const PATCHES = [
  { title: 'Grace' },
  { title: 'Grace', alias: null },
  { alias: 'grace' },
  { title: 'ADA', content: 'sent [[Ada]]' },
]

/** Renames and takes that back, with the edits before each transaction; with or without preparing before the edits. */
async function play(isPrepared: boolean, patch: object, edits: readonly Edit[], later: readonly Edit[]) {
  const world = await start()
  const { service, ada } = world
  const { worker, features } = service.ctx
  const caller = callerOf(service)
  const renaming = { caller, id: ada.id, patch }
  if (isPrepared) await worker.write(renamePreparation, renaming)
  for (const edit of edits) await apply(world, edit)
  service.clock.advance(5)
  const renamed = await worker.write(noteRename, renaming).catch((error: Error) => error.message)
  const outcomes = [typeof renamed === 'string' ? renamed : renamed.linksRewritten, await outcome(world)]
  const [{ transaction }] = (await service.get('/v1/changes?before=now&limit=1')).body.changes
  const undoing = { caller, transaction, isDryRun: false }
  if (isPrepared) await worker.write(undoPreparation, undoing).catch(() => {})
  for (const edit of later) await apply(world, edit)
  service.clock.advance(5)
  const undone = await worker
    .write(undoTask(features), undoing)
    .catch((error: Error) => error.message.replaceAll(ID, 'id'))
  outcomes.push(typeof undone === 'string' ? undone : undone.undone.length, await outcome(world))
  outcomes.push((await runInProcess(['check', '--db', service.ctx.db.file])).out)
  service.close()
  return outcomes
}

test(
  'what others write while a rename is prepared, or its undo, changes nothing in what comes out of it',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...PATCHES),
        fc.array(arbitraryEdit, { maxLength: 4 }),
        fc.array(arbitraryEdit, { maxLength: 1 }),
        async (patch, edits, later) => {
          expect(await play(true, patch, edits, later)).toEqual(await play(false, patch, edits, later))
        },
      ),
      { numRuns: runs(6, 200) },
    )
  },
  RANDOM_CASES_MS,
)

test('the new name of a file is written into what notes hold when it is renamed, not when that was prepared', async () => {
  const service = await startService({ file: folder.file('file.db') })
  const id = await makeFile(service, { name: 'old.txt' })
  const notes: NoteAnswer[] = []
  for (let at = 0; at < 60; at++)
    notes.push(await makeNote(service, { title: `Note ${at}`, content: `${at} [[file:${id}|old.txt]]` }))
  const input = { caller: callerOf(service), id, fileName: 'new.txt' }
  await service.ctx.worker.write(fileRenamePreparation, input)
  await service.patch(`/v1/notes/${notes[3]?.id}`, { content: `changed [[file:${id}|old.txt]]` })
  await service.patch(`/v1/notes/${notes[4]?.id}`, { content: 'none' })
  await service.ctx.worker.write(fileRename, input)
  const expected = notes.map((_, at) => `${at === 3 ? 'changed' : at} [[file:${id}|new.txt]]`)
  const contents = await Promise.all(notes.map(async (note) => (await readNote(service, note.id)).content))
  expect(contents).toEqual(expected.with(4, 'none'))
  service.close()
})

const LINKING = 3_000
const KILLS = runs(4, 60)
test(
  'a server that is killed while it renames, or takes that back, has rewritten all links or none',
  async () => {
    const file = folder.file('killed.db')
    let server = await startProcess(file)
    const { key } = server
    const ada = await makeNote(server, { title: 'Name 0' })
    await Promise.all(
      Array.from({ length: LINKING }, (_, at) =>
        makeNote(server, { title: `Note ${at}`, content: '[[Name 0]]' }),
      ),
    )
    const started = performance.now()
    await server.patch(`/v1/notes/${ada.id}`, { title: 'Name 1', rewrite_links: true })
    const tookMs = performance.now() - started
    let name = 'Name 1'
    const linking = async (title: string): Promise<number> =>
      (await server.get(`/v1/notes?search=${encodeURIComponent(`"${title}"`)}&limit=1`)).body.total
    let before: string | undefined
    for (let kill = 2; kill < KILLS + 2; kill++) {
      const title = kill % 2 === 0 && before !== undefined ? before : `Name ${kill}`
      const { transaction } = (await server.get('/v1/changes?before=now&limit=1')).body.changes[0]
      const request =
        title === before
          ? server.post('/v1/changes/undo', { transaction })
          : server.patch(`/v1/notes/${ada.id}`, { title, rewrite_links: true })
      const isDone = request.then(({ status }) => status === 200).catch(() => false)
      // Most of these moments are in the transaction, which comes last.
      await Bun.sleep((0.3 + Math.random()) * tookMs)
      await server.end('SIGKILL')
      server = await startProcess(file, { key })
      const now = (await server.get(`/v1/notes/${ada.id}`)).body.note.title
      if (await isDone) expect(now).toBe(title)
      expect([name, title]).toContain(now)
      before = now === name ? undefined : name
      name = now
      expect(await linking(name)).toBe(LINKING + 1)
      expect((await server.get(`/v1/notes/${ada.id}/links`)).body.backlinks).toHaveLength(LINKING)
    }
    await server.end()
    expect((await runInProcess(['check', '--db', file])).out).toBe('ok\n')
  },
  RANDOM_CASES_MS,
)
