import { wholeWorkspace } from '../../context.ts'
import { findFile, findPageText, readParts } from '../../files/store.ts'
import { sleep, systemClock } from '../../lib/clock.ts'
import { isObject } from '../../lib/json.ts'
import { refused } from '../../lib/refusal.ts'
import type { Db } from '../../storage/database.ts'
import type { Reader } from '../../storage/reader.ts'
import { CHANGE_KINDS, type ChangeKind } from '../../storage/schema/changes.ts'
import { newStage, removeStage } from './follower.ts'
import { listOverlay } from './overlay/store.ts'
import { compare, DERIVED, UNLOGGED } from './reconcile.ts'
import { type Remote, WrongSize } from './remote.ts'
import { objectAsSent, type RemoteObject } from './remote-objects.ts'
import { RemoteReading, unlessGone } from './remote-reading.ts'
import { Selector } from './selection.ts'
import type { Stage } from './stage.ts'
import { getState } from './state.ts'

export type Verification = Awaited<ReturnType<typeof verifyCopy>>

const MAX_NAMED = 5
const WAIT_MS = 10_000
const POLL_MS = 250

/**
 * Compares everything in the copy with the remote, and names some objects that differ. Objects that change meanwhile
 * are skipped; `missing_changes` counts the remote's changes that are not in the copy.
 */
export async function verifyCopy(db: Db, remote: Remote) {
  const { workspace, selection } = getState(db, db.file)
  const own = db.sql.scalar<string>('SELECT id FROM workspaces WHERE pk = ?', workspace)
  if ((await remote.connect()).id !== own)
    throw refused('The key belongs to another workspace than the copied one.')
  const selector = new Selector(selection)
  const stageFile = `${db.file}.verify`
  const stage = newStage(stageFile)
  try {
    const reading = new RemoteReading(remote, selector, stage, false)
    const end = await reading.readChanges(await reading.readSnapshot(() => {}))
    const missing = await untilCaughtUp(db, remote)
    const kinds = await compareKinds(db, remote, { stage, end, selector, isMoving: !!reading.lastAt })
    const files = kinds.find(({ kind }) => kind === 'file')
    for await (const id of listDifferingFiles(db, remote, { workspace, hasFiles: selection.hasFiles }))
      if (files && files.differing.length < MAX_NAMED && !files.differing.includes(id))
        files.differing.push(id)
    const identical = missing === 0 && kinds.every(({ differing }) => differing.length === 0)
    return { identical, missing_changes: missing, kinds }
  } finally {
    removeStage(stage, stageFile)
  }
}

/** Returns how many changes are still missing after some seconds, which a following server may need. */
async function untilCaughtUp(db: Db, remote: Remote): Promise<number> {
  for (let waited = 0; ; waited += POLL_MS) {
    const { changes } = await remote.changes(getState(db, db.file).cursor)
    const old = changes.length
    if (old === 0 || waited >= WAIT_MS) return old
    await sleep(systemClock, POLL_MS)
  }
}

interface Read {
  readonly stage: Stage
  /** The cursor after the staged changes. */
  readonly end: string
  readonly selector: Selector
  /** Whether the remote changed while it was read. */
  readonly isMoving: boolean
}

/** Compares in one state of the copy. */
async function compareKinds(db: Db, remote: Remote, { stage, end, selector, isMoving }: Read) {
  db.sql.run('BEGIN')
  try {
    const { workspace, cursor } = getState(db, db.file)
    const [later, ahead] = [await remote.changes(cursor), await remote.changes(end)]
    const changing = new Set([...later.changes, ...ahead.changes].map(({ kind, id }) => `${kind} ${id}`))
    // Derived attributes may have been read at different moments.
    const covered = new Map(listOverlay(db).map(({ kind, id, remote }) => [`${kind} ${id}`, remote]))
    const derived = isMoving || changing.size > 0 || covered.size > 0 ? DERIVED : {}
    const properties = new Set([...stage.present<{ key: string }>('property')].map(({ key }) => key))
    return CHANGE_KINDS.map((kind) => {
      const [ofRemote, ofCopy] = [new Digest(), new Digest()]
      const differing: string[] = []
      for (const { id, structureId, json, current } of compare(db, workspace, stage, kind)) {
        const name = `${kind} ${id}`
        if (changing.has(name) || (kind === 'comment' && hasCoveredObject(json, covered))) continue
        // For a locally changed object, the remote state beneath the change counts.
        const copied = covered.has(name) ? (covered.get(name) ?? null) : current
        const [sent, own] = [json, copied].map((text) =>
          text === null ? undefined : selector.object(kind, structureId, JSON.parse(text)),
        )
        const known = kind === 'note' && sent ? withKnownProperties(sent, properties) : sent
        const left = [...(derived[kind] ?? []), ...(UNLOGGED[kind] ?? [])]
        const [theirs, ours] = comparable(kind, [known, own], left)
        ofRemote.add(theirs)
        ofCopy.add(ours)
        if (theirs !== ours && differing.length < MAX_NAMED) differing.push(id)
      }
      return { kind, remote: ofRemote.side, copy: ofCopy.side, differing }
    })
  } finally {
    db.sql.run('COMMIT')
  }
}

/** Whether the note or row of a comment has a local change: a deleted one hides its comments in the copy. */
function hasCoveredObject(json: string | null, covered: ReadonlyMap<string, unknown>): boolean {
  const { note_id, record_id } = JSON.parse(json ?? '{}') as { note_id?: string; record_id?: string }
  return covered.has(`note ${note_id}`) || covered.has(`record ${record_id}`)
}

/** A note without the values of properties that the copy omits because this program does not know their types. */
function withKnownProperties(note: RemoteObject, known: ReadonlySet<string>): RemoteObject {
  if (!isObject(note.properties)) return note
  const values = Object.entries(note.properties).filter(([key]) => known.has(key))
  return { ...note, properties: Object.fromEntries(values) }
}

type Sides<Side> = readonly [theirs: Side | undefined, ours: Side | undefined]

/** The texts of both sides, equal if the copy has everything that the remote sent. */
function comparable(
  kind: ChangeKind,
  [theirs, ours]: Sides<RemoteObject>,
  left: readonly string[],
): Sides<string> {
  const text = (object: RemoteObject | undefined) => object && inOrderOfNames(object, left)
  return [text(theirs), text(theirs && ours ? objectAsSent(kind, theirs, ours) : ours)]
}

/** JSON in which the attributes of every object are in one order; some are omitted. */
const inOrderOfNames = (value: object, left: readonly string[]): string =>
  JSON.stringify(value, (name, part: unknown) => {
    if (left.includes(name)) return undefined
    if (!isObject(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
  })

class Digest {
  #count = 0
  /** The sum of the hashes of the objects, which does not depend on their order. */
  #sum = 0n

  add(text: string | undefined): void {
    if (text === undefined) return
    this.#count += 1
    this.#sum = BigInt.asUintN(64, this.#sum + BigInt(Bun.hash(text)))
  }

  /** Equal content has equal digests. */
  get side() {
    return { count: this.#count, digest: this.#sum.toString(16).padStart(16, '0') }
  }
}

interface CopiedFile {
  readonly pk: number
  readonly id: string
  readonly size: number
  readonly status: string
  readonly pages: number | null
}

/** The ids of the files of the copy whose bytes or text differ from the remote; files deleted there are skipped. */
async function* listDifferingFiles(
  reader: Reader,
  remote: Remote,
  { workspace, hasFiles }: { readonly workspace: number; readonly hasFiles: boolean },
): AsyncGenerator<string> {
  const files = reader.sql.all<CopiedFile>(
    `SELECT pk, id, size, status, pages FROM files
     WHERE workspace = ? AND status IN ('processing', 'ready', 'failed')`,
    workspace,
  )
  for (const file of files) {
    const hasSameBytes = !hasFiles || file.size === 0 || (await compareBytes(reader, remote, file))
    const isSame = hasSameBytes && (await compareText(reader, remote, file))
    if (!isSame && findFile(reader, wholeWorkspace(workspace), file.id)) yield file.id
  }
}

async function compareBytes(reader: Reader, remote: Remote, file: CopiedFile): Promise<boolean> {
  const theirs = await unlessGone(async () => {
    const hash = new Bun.CryptoHasher('sha256')
    try {
      for await (const bytes of remote.fileContent(file)) hash.update(bytes)
    } catch (error) {
      if (error instanceof WrongSize) return 'other bytes'
      throw error
    }
    return hash.digest('hex')
  })
  if (theirs === undefined) return true
  const ours = new Bun.CryptoHasher('sha256')
  for (const part of readParts(reader, file.pk)) ours.update(part)
  return ours.digest('hex') === theirs
}

async function compareText(
  reader: Reader,
  remote: Remote,
  { pk, id, status, pages }: CopiedFile,
): Promise<boolean> {
  if (status !== 'ready' || !pages) return true
  const isSame = await unlessGone(async () => {
    let page = 0
    for await (const text of remote.fileText(id, pages)) {
      page += 1
      if (text !== findPageText(reader, pk, page)) return false
    }
    return page === pages
  })
  return isSame ?? true
}
