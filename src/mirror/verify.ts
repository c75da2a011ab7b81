import { rmSync } from 'node:fs'
import { FIRST_PLACE, type Part, snapshotQuery } from '../change-feed/snapshot.ts'
import { CHANGE_KINDS, type ChangeKind } from '../changes/entries.ts'
import type { Db } from '../db/database.ts'
import type { Reader } from '../db/reader.ts'
import { refused } from '../refusal.ts'
import { newStage } from './follower.ts'
import { DERIVED } from './reconcile.ts'
import type { Remote } from './remote.ts'
import type { RemoteObject, SnapshotObject } from './remote-objects.ts'
import { RemoteReading } from './remote-reading.ts'
import { Selector } from './selection.ts'
import type { Stage } from './stage.ts'
import { getState } from './status.ts'
import { listDifferingFiles } from './verify-files.ts'

/** How the objects of one kind compare. */
export interface VerifiedKind {
  readonly kind: ChangeKind
  readonly remote: number
  readonly copy: number
  /** Digests of all objects; equal where they are. */
  readonly remoteDigest: string
  readonly copyDigest: string
  /** The ids of some objects that differ, or that only one of the two has. */
  readonly differing: string[]
}

export interface Verification {
  readonly kinds: readonly VerifiedKind[]
  /** How many changes of the remote are not in the copy. */
  readonly missing: number
  readonly isIdentical: boolean
}

const MAX_NAMED = 5
const WAIT_MS = 10_000
const POLL_MS = 250

/** Compares everything in the copy with the remote. What changes meanwhile is left out of the comparison. */
export async function verifyCopy(db: Db, remote: Remote): Promise<Verification> {
  const { workspace, selection } = getState(db, db.file)
  const own = db.sql.scalar<string>('SELECT id FROM workspaces WHERE pk = ?', workspace)
  if ((await remote.connect()).id !== own)
    throw refused('The key opens another workspace than the one that was copied.')
  const selector = new Selector(selection)
  const stageFile = `${db.file}.verify`
  const stage = newStage(stageFile)
  try {
    const reading = new RemoteReading(remote, selector, stage)
    const end = await reading.readChanges(await reading.readSnapshot(() => {}))
    const isMoving = reading.lastAt !== undefined
    const missing = await untilCaughtUp(db, remote)
    let kinds: VerifiedKind[]
    db.sql.run('BEGIN')
    try {
      const { cursor } = getState(db, db.file)
      const [later, ahead] = [await remote.changes(cursor), await remote.changes(end)]
      const changing = new Set([...later.changes, ...ahead.changes].map(({ kind, id }) => `${kind} ${id}`))
      const comparison = new Comparison(stage, isMoving || changing.size > 0, changing)
      for (const object of objectsOf(db, workspace, selector)) comparison.addOfCopy(object)
      kinds = comparison.finish()
    } finally {
      db.sql.run('COMMIT')
    }
    const files = kinds.find(({ kind }) => kind === 'file')
    for await (const id of listDifferingFiles(db, remote, { workspace, hasFiles: selection.hasFiles }))
      if (files && files.differing.length < MAX_NAMED && !files.differing.includes(id))
        files.differing.push(id)
    const isIdentical = missing === 0 && kinds.every(({ differing }) => differing.length === 0)
    return { kinds, missing, isIdentical }
  } finally {
    stage.close()
    rmSync(stageFile, { force: true })
  }
}

/** Returns how many changes are still missing after some seconds: a server that follows needs a moment. */
async function untilCaughtUp(db: Db, remote: Remote): Promise<number> {
  for (let waited = 0; ; waited += POLL_MS) {
    const { changes } = await remote.changes(getState(db, db.file).cursor)
    const old = changes.length
    if (old === 0 || waited >= WAIT_MS) return old
    await Bun.sleep(POLL_MS)
  }
}

function* objectsOf(reader: Reader, workspacePk: number, selector: Selector): Generator<SnapshotObject> {
  const decoder = new TextDecoder()
  for (let place: Part['next'] = FIRST_PLACE; place; ) {
    const part: Part = snapshotQuery.run(reader, { workspacePk, place })
    for (const line of decoder.decode(part.bytes).split('\n')) {
      if (line === '') continue
      const { kind, structure_id, object } = JSON.parse(line) as SnapshotObject
      const selected = selector.object(kind, structure_id, object)
      if (selected) yield { kind, structure_id, object: selected }
    }
    place = part.next
  }
}

interface Side {
  count: number
  /** The sum of the hashes of the objects, which does not depend on their order. */
  sum: bigint
}

class Comparison {
  readonly #copy = new Map<ChangeKind, Side>()
  readonly #differing = new Map<ChangeKind, string[]>()

  constructor(
    private readonly stage: Stage,
    /** Whether attributes that follow from others may be of different moments. */
    private readonly isMoving: boolean,
    private readonly changing: ReadonlySet<string>,
  ) {}

  addOfCopy({ kind, object }: SnapshotObject): void {
    if (this.changing.has(`${kind} ${object.id}`)) return
    const text = this.#compared(kind, object)
    add(sideOf(this.#copy, kind), text)
    const staged = this.stage.objectJson(kind, object.id)
    if (typeof staged !== 'string' || this.#compared(kind, JSON.parse(staged)) !== text)
      this.#note(kind, String(object.id))
    else this.stage.markSeen(kind, object.id)
  }

  finish(): VerifiedKind[] {
    return CHANGE_KINDS.map((kind) => {
      const remote: Side = { count: 0, sum: 0n }
      for (const { id, json, isSeen } of this.stage.objects(kind)) {
        if (json === null || this.changing.has(`${kind} ${id}`)) continue
        add(remote, this.#compared(kind, JSON.parse(json)))
        if (!isSeen) this.#note(kind, id)
      }
      const copy = sideOf(this.#copy, kind)
      return {
        kind,
        remote: remote.count,
        copy: copy.count,
        remoteDigest: digestOf(remote),
        copyDigest: digestOf(copy),
        differing: this.#differing.get(kind) ?? [],
      }
    })
  }

  #compared(kind: ChangeKind, object: RemoteObject): string {
    const derived = this.isMoving ? (DERIVED[kind] ?? []) : []
    return JSON.stringify(object, (name, value) => (derived.includes(name) ? undefined : value))
  }

  #note(kind: ChangeKind, id: string): void {
    const known = this.#differing.get(kind) ?? []
    if (known.length < MAX_NAMED && !known.includes(id)) known.push(id)
    this.#differing.set(kind, known)
  }
}

function sideOf(sides: Map<ChangeKind, Side>, kind: ChangeKind): Side {
  const side = sides.get(kind) ?? { count: 0, sum: 0n }
  sides.set(kind, side)
  return side
}

function add(side: Side, text: string): void {
  side.count += 1
  side.sum = BigInt.asUintN(64, side.sum + BigInt(Bun.hash(text)))
}

const digestOf = ({ sum }: Side): string => sum.toString(16).padStart(16, '0')
