import { closeSync, cpSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addFile, type FileWriter } from '../../../src/files/new-file.ts'
import { claimFile, saveResult } from '../../../src/files/text-extraction.ts'
import { insertProperty } from '../../../src/notes/properties/service.ts'
import { refreshSearch } from '../../../src/notes/search/indexing.ts'
import { createNote } from '../../../src/notes/writing/create.ts'
import { createKey } from '../../../src/people/accounts/keys.ts'
import { findUser } from '../../../src/people/accounts/users.ts'
import { writeRecords } from '../../../src/records/rows/writing/write-records.ts'
import { createStructure } from '../../../src/records/structures/service.ts'
import { type CorpusNote, corpus, ROW_FIELDS, rowsOf, wordOfRank } from '../corpus.ts'
import { type Dataset, openDataset } from '../dataset.ts'

/** The database in which the operations of the part run. */
export interface World {
  readonly writeKey: string
  readonly readKey: string
  /** The note that all other notes link to. */
  readonly hub: string
  /** Every 20th note links to this one. */
  readonly middle: string
  /** Every 50th note and up to 5,000 more link to this file. */
  readonly file: string
  /** A small note with no other writers. */
  readonly smallNote: string
  readonly smallRow: string
  readonly bigNotes: readonly string[]
  readonly notes: number
  readonly rows: number
}

export const BIG = 1_000_000
const BATCH = 500
const TAGS = 500
/** Raise this when the database is created differently, so that an older cached one is not reused. */
const EDITION = 5

const words = (length: number, seed: number): string => {
  let text = ''
  for (let at = seed; text.length < length; at = (at * 31 + 7) % 20_011) text += `${wordOfRank(at)} `
  return text.slice(0, length)
}

const UNSTRUCTURED = { options: null }
const FIELDS = [
  ...ROW_FIELDS.map((field) => ({ ...field, options: 'options' in field ? [...field.options] : null })),
  { key: 'at', type: 'datetime', ...UNSTRUCTURED },
  { key: 'code', type: 'text', ...UNSTRUCTURED },
] as const

async function writeInGroups<Item>(
  { ctx }: Dataset,
  items: Iterable<Item>,
  size: number,
  write: (tx: Parameters<Parameters<Dataset['ctx']['db']['write']>[0]>[0], group: Item[]) => void,
): Promise<void> {
  let group: Item[] = []
  const flush = async () => {
    const now = group
    group = []
    await ctx.db.write((tx): void => write(tx, now))
  }
  for (const item of items) if (group.push(item) === size) await flush()
  if (group.length > 0) await flush()
}

function* notesOf(
  count: number,
  file: string,
): Generator<CorpusNote & { properties: Record<string, string> }> {
  let at = 0
  for (const note of corpus(count)) {
    const link = at % 20 === 0 ? `\n\n[[file:${file}|report.txt]]` : ''
    const middle = at % 20 === 10 ? '\n\nSee [[Middle]], too.' : ''
    const some = at % 33 === 0 ? ['some'] : []
    yield {
      title: note.title,
      content: `${note.content}\n\nSee [[Hub]].${link}${middle}`,
      tags: [...note.tags, 'everywhere', ...some],
      properties: { everywhere: `value ${at % 100}` },
    }
    at += 1
  }
}

async function makeFile({ ctx, caller }: Dataset): Promise<string> {
  const pages = Array.from({ length: 300 }, (_, at) => words(3_000, at))
  const bytes = new TextEncoder().encode(pages.join('\n'))
  const writer: FileWriter = {
    db: ctx.db,
    run: (operation, input) => ctx.kernel.callAs(caller, operation, input),
  }
  const file = await addFile(writer, { fileName: 'report.txt', noteId: null, bytes })
  const claim = await ctx.db.write((tx) => claimFile(tx, file.pk))
  if (claim) await saveResult(ctx.db, claim, { pages, outline: [] })
  return file.id
}

async function makeNotes(data: Dataset, count: number, big: number) {
  const { ctx, caller } = data
  const file = await makeFile(data)
  const created = (title: string, content: string, tags: string[] = []) =>
    ctx.db.write((tx): string => createNote(tx, caller, { title, content, tags }).note.id)
  const hub = await created('Hub', 'The middle.')
  const middle = await created('Middle', 'Between.')
  const smallNote = await created('Small', 'A small note.')
  for (let at = 0; at < TAGS; at += 100) {
    await created(
      `Tags from ${at}`,
      '',
      Array.from({ length: 100 }, (_, tag) => `t${at + tag}`),
    )
  }
  await ctx.db.write((tx): void => void insertProperty(tx, caller, { key: 'everywhere', type: 'text' }))
  await writeInGroups(data, notesOf(count, file), 200, (tx, group) => {
    for (const note of group) createNote(tx, caller, note)
  })
  const bigNotes: string[] = []
  for (let at = 0; at < big; at++) bigNotes.push(await created(`Big ${at}`, words(BIG, at), ['big']))
  await refreshSearch(ctx, caller.workspacePk)
  return { file, hub, middle, smallNote, bigNotes }
}

function* entriesOf(count: number, notes: readonly string[]) {
  let at = 0
  const start = Date.parse('2024-01-01T00:00:00Z')
  for (const data of rowsOf(count, notes)) {
    const moment = new Date(start + ((at * 7_919) % 900) * 86_400_000 + at).toISOString()
    yield { data: { ...data, at: moment, code: `code ${at}` } }
    at += 1
  }
}

async function makeRows(data: Dataset, count: number, notes: readonly string[]): Promise<string> {
  const { ctx, caller } = data
  await ctx.db.write((tx): void => {
    createStructure(tx, caller, { name: 'entries', fields: FIELDS.map((field) => ({ ...field })) })
    createStructure(tx, caller, { name: 'small', fields: [{ key: 'n', type: 'number', ...UNSTRUCTURED }] })
  })
  await writeInGroups(data, entriesOf(count, notes), BATCH, (tx, rows) => {
    writeRecords(tx, caller, { structure: 'entries', rows })
  })
  const answer = await data.fetch('/v1/records', {
    method: 'POST',
    body: JSON.stringify({ structure: 'small', data: { n: 0 } }),
  })
  return ((await answer.json()) as { records: { id: string }[] }).records[0]?.id ?? ''
}

async function make(folder: string, size: number): Promise<void> {
  const data = await openDataset(join(folder, 'stalls.db'))
  const { ctx, caller } = data
  const [notes, rows] = [Math.round(100_000 * size), Math.round(1_000_000 * size)]
  const made = await makeNotes(data, notes, Math.max(20, Math.round(200 * size)))
  const smallRow = await makeRows(data, rows, [made.hub, made.smallNote])
  const user = findUser(ctx.db, 'owner')
  const { secret } = await ctx.db.write((tx): { secret: string } =>
    createKey(tx, {
      workspace: caller.workspacePk,
      user: user?.pk ?? 0,
      name: 'reader',
      scope: 'read',
      expiresAt: null,
    }),
  )
  ctx.db.checkpoint()
  data.close()
  const world: World = { writeKey: data.key, readKey: secret, smallRow, notes, rows, ...made }
  await Bun.write(join(folder, 'world.json'), JSON.stringify(world))
}

/** Waits until the copy is on the disk. Otherwise the first measurements would include writing the copy. */
function copyToDisk(from: string, to: string): void {
  cpSync(from, to)
  const descriptor = openSync(to, 'r+')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/**
 * Copies the database of this size into a folder. The original takes minutes to create, so it is cached in the
 * temporary folder of the system.
 */
export async function copyOfWorld(size: number, folder: string): Promise<{ file: string; world: World }> {
  const cached = join(tmpdir(), `daybook-stalls-${EDITION}-${size}`)
  if (!existsSync(cached)) {
    const making = `${cached}.${process.pid}`
    mkdirSync(making)
    try {
      await make(making, size)
      renameSync(making, cached)
    } finally {
      rmSync(making, { recursive: true, force: true })
    }
  }
  const file = join(folder, 'stalls.db')
  for (const ending of ['', '-wal'])
    if (existsSync(join(cached, `stalls.db${ending}`)))
      copyToDisk(join(cached, `stalls.db${ending}`), `${file}${ending}`)
  return { file, world: (await Bun.file(join(cached, 'world.json')).json()) as World }
}
