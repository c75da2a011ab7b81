import { wholeWorkspace } from '../../../context.ts'
import { fold } from '../../../lib/text.ts'
import { appendMirrored, type MirroredChange } from '../../../log/append-mirrored.ts'
import { itemKind, removeFromQuickAccess } from '../../../notes/pinned/service.ts'
import { removeFromSearch } from '../../../notes/search/indexing.ts'
import { addToCounters } from '../../../notes/store.ts'
import { findTagByName } from '../../../notes/writing/tags.ts'
import { hideNote } from '../../../notes/writing/trash.ts'
import { Copy, listNamed, type NamedKind } from '../../../objects/copy.ts'
import { applyObjects } from '../../../objects/kinds.ts'
import { findRecord, updateRecord } from '../../../records/rows/store.ts'
import { countChange, deleteLiveRow } from '../../../records/structures/storage/live-rows.ts'
import { markForTextIndex } from '../../../records/structures/storage/text-index.ts'
import { findStructureByPk } from '../../../records/structures/store.ts'
import type { Reader } from '../../../storage/reader.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'
import { currentJson, differenceEntry } from '../reconcile.ts'
import type { RemoteObject } from '../remote-objects.ts'
import { Stage } from '../stage.ts'
import { findProblems, type ReappliedChange } from './problems.ts'
import {
  addItem,
  findNoteKey,
  isAccepted,
  isConflict,
  isOwn,
  isSameContent,
  type LocalState,
  listOverlay,
  localState,
  type OverlayRow,
  removeItems,
  removeRow,
  saveRow,
  versionOf,
} from './store.ts'

/**
 * The remote state counts as seen if it equals the state that was seen or pushed. An accepted push stays accepted until
 * the copy has received it.
 */
function rowAfter(row: OverlayRow, remote: string | null, isReceived: boolean): OverlayRow {
  const isSeen =
    versionOf(remote) === versionOf(row.base) || (row.pushed !== null && isSameContent(row.pushed, remote))
  const pushed = isAccepted(row) && isReceived ? null : row.pushed
  return { ...row, remote, base: isSeen ? remote : row.base, pushed, held: null, problem: null }
}

interface Local extends LocalState {
  readonly row: OverlayRow
  /** The state that was visible before; null for none. */
  readonly visible: string | null
}

/**
 * Local changes, removed from the tables so that these hold the remote state until the changes are reapplied. In
 * between, remote changes are applied as in any copy.
 */
export class SuspendedChanges {
  readonly #locals: readonly Local[]
  readonly #names: Renamed

  constructor(
    private readonly copy: Copy<Stage>,
    rows: readonly OverlayRow[],
    /** Whether the stage is the whole remote. */
    private readonly isWhole: boolean,
  ) {
    const { tx, workspacePk, stage } = copy
    this.#names = new Renamed(tx, workspacePk)
    this.#locals = rows.map((row) => ({
      row,
      visible: this.#current(row),
      ...localState(tx, row, workspacePk),
    }))
    for (const { kind, id } of rows) stage.covered.add(`${kind} ${id}`)
    // Objects deleted here become live again when the remote state is written.
    for (const { row, json } of this.#locals)
      if (json !== null && row.remote === null && row.held === null) this.#hide(row, tx.now)
    const objects = rows.map((row) => ({ row, json: row.remote }))
    this.#write(objects.filter(({ row, json }) => json !== null || !isOwn(row)))
  }

  /**
   * Reapplies the local changes to the current state of the tables, except changes that equal the remote state or that
   * `isReset` selects. Returns log entries for objects whose visible state has changed since.
   */
  reapply(isReset: (row: OverlayRow) => boolean = () => false): MirroredChange[] {
    const { tx, workspacePk } = this.copy
    const items = itemKind.list(tx, wholeWorkspace(workspacePk))
    const localTags = this.#localTags()
    const reapplied = this.#locals.flatMap((local) => {
      if (!isOwn(local.row)) return []
      const { kind } = local.row
      const json =
        local.json !== null && kind === 'note' ? this.#names.now(local.json, localTags) : local.json
      const row = this.#settled({ ...local, json }, local.json, isReset(local.row))
      return row && json !== null ? [{ row, json }] : []
    })
    this.#reapplyFree(reapplied, findProblems(tx, workspacePk, reapplied))
    this.#keepItems(items)
    return this.#locals.flatMap(({ row: { kind, id, structure }, visible }) => {
      const json = this.#current({ kind, id, structure })
      const isSame = json === visible
      return isSame
        ? []
        : (differenceEntry(tx, kind, { id, structureId: structure, current: visible, json }) ?? [])
    })
  }

  /**
   * The new overlay row of a local change; undefined if nothing differs from the remote. `before` names tags as the
   * base does.
   */
  #settled(local: Local, before: string | null, isReset: boolean): OverlayRow | undefined {
    const { tx, stage } = this.copy
    const { json, deletedAt } = local
    const remote = this.#current(local.row)
    const isReceived = this.isWhole || stage.objectJson(local.row.kind, local.row.id) !== undefined
    const isUnchanged = isSameContent(before, local.row.base) && (isReceived || !isAccepted(local.row))
    if (isReset || isSameContent(json, remote) || isUnchanged) {
      this.#drop(local, remote, isReset)
      return undefined
    }
    const row = rowAfter(local.row, remote, isReceived)
    if (json === null) {
      this.#hide(row, deletedAt ?? tx.now)
      saveRow(tx, row)
    }
    return row
  }

  #current({ kind, id, structure }: Pick<OverlayRow, 'kind' | 'id' | 'structure'>): string | null {
    const { tx, workspacePk } = this.copy
    return currentJson(tx, workspacePk, kind, id, structure)
  }

  /** Removes a live note or record from everything that lists it, as its deletion does. */
  #hide({ kind, id }: OverlayRow, at: number): void {
    const { tx, workspacePk, author } = this.copy
    if (kind === 'note') {
      const note = findNoteKey(tx, id)
      if (!note || note.deletedAt !== null) return
      hideNote(tx, workspacePk, note.pk, at)
      removeFromSearch(tx, workspacePk, note.pk)
      removeFromQuickAccess(tx, author, note.pk)
    } else if (kind === 'record') {
      const row = findRecord(tx, id)
      const structure = row && findStructureByPk(tx, wholeWorkspace(workspacePk), row.structure)
      if (!row || !structure || row.deletedAt !== null) return
      deleteLiveRow(tx, structure, row.pk)
      countChange(tx, structure.pk, -1)
      markForTextIndex(tx, structure, row.pk)
      updateRecord(tx, { ...row, deletedAt: at })
    }
  }

  /** The names of the tags that the remote may not have, by id. */
  #localTags(): Map<number, string> {
    const tags = this.#locals.filter(({ row, json }) => row.kind === 'tag' && json !== null)
    return new Map(
      tags.map(({ row, json }) => [Number(row.id), (JSON.parse(json ?? '') as { name: string }).name]),
    )
  }

  #reapplyFree(reapplied: readonly ReappliedChange[], problems: ReadonlyMap<OverlayRow, string>): void {
    const { tx } = this.copy
    const free = reapplied.filter(({ row }) => !problems.has(row))
    this.#write([...this.#tagsFor(free), ...free])
    for (const { row, json } of reapplied) {
      const problem = problems.get(row)
      if (problem === undefined) saveRow(tx, row)
      else saveRow(tx, { ...row, held: json, problem })
    }
  }

  /** The tags that only these notes have; the others are removed. */
  #tagsFor(reapplied: readonly ReappliedChange[]): ReappliedChange[] {
    const { tx, workspacePk } = this.copy
    const used = new Set(
      reapplied.flatMap(({ row, json }) =>
        row.kind === 'note' ? (JSON.parse(json) as { tags: string[] }).tags.map(fold) : [],
      ),
    )
    return this.#locals.flatMap(({ row, json }) => {
      if (row.kind !== 'tag') return []
      const { name } = JSON.parse(json ?? '{"name":""}') as { name: string }
      if (used.has(fold(name)) && !findTagByName(tx, workspacePk, name)) return [{ row, json: json ?? '' }]
      removeRow(tx, row)
      return []
    })
  }

  /** Keeps the Quick Access items of the remote, except items of notes that were deleted here. */
  #keepItems(items: readonly { readonly id: string }[]): void {
    const { tx } = this.copy
    if (this.#locals.every(({ row }) => row.kind === 'record')) return
    removeItems(tx)
    for (const item of items) {
      const [kind, remote] = ['quick_access_item', JSON.stringify(item)] as const
      if (remote !== this.#current({ kind, id: item.id, structure: null })) addItem(tx, item.id, remote)
    }
  }

  #drop({ row, deletedAt }: Local, remote: string | null, isReset: boolean): void {
    const { tx, workspacePk } = this.copy
    removeRow(tx, row)
    if (remote !== null || (deletedAt !== null && !isReset)) return
    const note = row.kind === 'note' ? findNoteKey(tx, row.id) : undefined
    if (note) {
      addToCounters(tx, workspacePk, 0, -1)
      tx.sql.run('DELETE FROM notes WHERE pk = ?', note.pk)
    }
    if (row.kind === 'record') tx.sql.run('DELETE FROM records WHERE id = ?', row.id)
  }

  #write(objects: readonly { readonly row: OverlayRow; readonly json: string | null }[]): void {
    const { tx, workspacePk } = this.copy
    const stage = new Stage(':memory:')
    try {
      for (const { row, json } of objects)
        stage.put(row.kind, row.id, row.structure, json === null ? null : (JSON.parse(json) as RemoteObject))
      applyObjects(new Copy(tx, workspacePk, stage, false))
    } finally {
      stage.close()
    }
  }
}

/** Resets one object, or all, to the remote state. */
export const resetLocalChanges = (tx: Tx, workspacePk: number, id: string | undefined): void =>
  reset(tx, workspacePk, (row) => id === undefined || row.id === id)

/** Removes local changes that were reverted by hand; returns whether there were any. */
export function settleUndone(tx: Tx, workspacePk: number): boolean {
  const isUndone = (row: OverlayRow) => isSameContent(localState(tx, row, workspacePk).json, row.base)
  const undone = listOverlay(tx).filter((row) => isOwn(row) && isConflict(row) && isUndone(row))
  if (undone.length === 0) return false
  const ids = new Set(undone.map(({ id }) => id))
  reset(tx, workspacePk, ({ id }) => ids.has(id))
  return true
}

function reset(tx: Tx, workspacePk: number, isReset: (row: OverlayRow) => boolean): void {
  const stage = new Stage(':memory:')
  try {
    const suspended = new SuspendedChanges(new Copy(tx, workspacePk, stage, false), listOverlay(tx), false)
    const differences = suspended.reapply(isReset)
    appendMirrored(tx, workspacePk, differences)
  } finally {
    stage.close()
  }
}

interface NamedParts {
  readonly tags: readonly string[]
  readonly properties: Readonly<Record<string, unknown>>
}

/**
 * Notes refer to tags and properties by name. After a change of the remote, local changes get the new names and lose
 * deleted ones.
 */
class Renamed {
  readonly #tags: ReadonlyMap<string, number>
  readonly #properties: ReadonlyMap<string, number>

  /** The names before the change. */
  constructor(
    private readonly reader: Reader,
    private readonly workspace: number,
  ) {
    const pksOf = (kind: NamedKind) =>
      new Map(listNamed(reader, workspace, kind).map(({ pk, name }) => [fold(name), pk]))
    this.#tags = pksOf('tag')
    this.#properties = pksOf('property')
  }

  /** `localTags` are the names of tags that the remote may not have, by id. */
  now(json: string, localTags: ReadonlyMap<number, string>): string {
    const note = JSON.parse(json) as NamedParts
    const namesOf = (kind: NamedKind) =>
      new Map(listNamed(this.reader, this.workspace, kind).map(({ pk, name }) => [pk, name]))
    const [tags, keys] = [namesOf('tag'), namesOf('property')]
    const tagNow = (name: string) => {
      const id = this.#tags.get(fold(name))
      return id === undefined ? undefined : (tags.get(id) ?? localTags.get(id))
    }
    return JSON.stringify({
      ...note,
      tags: note.tags.map(tagNow).filter((name) => name !== undefined),
      properties: Object.fromEntries(
        Object.entries(note.properties).flatMap(([key, value]) => {
          const known = keys.get(this.#properties.get(fold(key)) ?? 0)
          return known === undefined ? [] : [[known, value]]
        }),
      ),
    })
  }
}
