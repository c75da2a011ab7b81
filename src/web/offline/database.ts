import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { StoredAction } from '../data/pending-actions.ts'
import type { StoredCell } from '../data/pending-cells.ts'
import type { Row } from '../data/records/model.ts'
import type { Session } from '../data/session.ts'
import type { StoredBase, StoredNote } from './note-store.ts'
import type { OfflineNote } from './offline-notes.ts'
import type { EarlierAction } from './stored-actions.ts'
import { onTabMessage, postToTabs } from './tab-messages.ts'

/*
 * The database of this browser: the offline copy, from which reads are answered while the server cannot be reached, and
 * the queue of unacknowledged edits.
 */

export interface OfflineRow {
  readonly structure: string
  readonly id: string
  readonly row: Row
}

/** A table whose rows are stored. */
export interface Mark {
  readonly user: string
  readonly workspace: string
  readonly structure: string
  readonly name: string
  /** The server time at which all rows were stored; undefined before. */
  readonly since?: number
  readonly rows: number
  /** Why its rows are not stored, as a sentence. */
  readonly problem?: string
}

/** Whether all rows of a table are stored. */
export const isWhole = ({ since }: Mark): boolean => since !== undefined

/** The session of the copy, and its size. */
export interface About {
  readonly session: Session
  /** The cursor up to which the copy follows the change feed; undefined while it is being created. */
  readonly cursor: string | undefined
  readonly since: number
  /** The user's read access, as a comparable text. */
  readonly access: string
  readonly notes: number
  readonly characters: number
  readonly pictures?: { readonly count: number; readonly bytes: number }
}

export interface Schema extends DBSchema {
  about: { key: 'copy'; value: About }
  notes: { key: string; value: OfflineNote }
  texts: { key: string; value: string }
  rows: { key: [structure: string, id: string]; value: OfflineRow }
  marks: { key: [user: string, workspace: string, structure: string]; value: Mark }
  /** Unchanged responses, by path. */
  answers: { key: string; value: object }
  queue: { key: string[]; value: StoredNote | StoredCell | StoredAction | EarlierAction }
  /** The contents of notes before they were edited, stored only once because storing long texts is slow. */
  bases: { key: string[]; value: StoredBase }
}

export type OfflineDatabase = IDBPDatabase<Schema>

/** The stores of the copy, which can be recreated at any time. */
export const COPY = ['about', 'notes', 'texts', 'rows', 'answers'] as const

let opened: Promise<OfflineDatabase> | undefined

export function database(): Promise<OfflineDatabase> {
  opened ??= openDB<Schema>('daybook-offline', 1, {
    upgrade(made) {
      made.createObjectStore('about')
      made.createObjectStore('notes', { keyPath: 'id' })
      made.createObjectStore('texts')
      made.createObjectStore('rows', { keyPath: ['structure', 'id'] })
      made.createObjectStore('marks', { keyPath: ['user', 'workspace', 'structure'] })
      made.createObjectStore('answers')
      made.createObjectStore('queue', { keyPath: ['user', 'workspace', 'name', 'tab'] })
      made.createObjectStore('bases', { keyPath: ['user', 'workspace', 'name', 'tab'] })
    },
    // Another tab needs a newer version of the database: close it, and reopen it on the next access.
    blocking: (_current, _blocked, event) => {
      ;(event.target as IDBDatabase).close()
      opened = undefined
    },
    terminated: () => {
      opened = undefined
      for (const listener of clearedListeners) listener()
    },
  }).catch((error: Error) => {
    opened = undefined
    throw error
  })
  return opened
}

const clearedListeners = new Set<() => void>()

/** Calls the listener when the browser or its user has cleared the storage. */
export function onCleared(listener: () => void): void {
  clearedListeners.add(listener)
}

/** The key range of all rows of a table. */
export const rowsOf = (structure: string): IDBKeyRange => IDBKeyRange.bound([structure], [structure, []])

export const whereOf = (user: string, workspace: string): IDBKeyRange =>
  IDBKeyRange.bound([user, workspace], [user, workspace, []])

/** Notifies all tabs about changes of the database. */
export function notifyCopyChange(): void {
  postToTabs('changed')
  notifyListeners()
}

const listeners = new Set<() => void>()
const notifyListeners = () => {
  for (const listener of listeners) listener()
}
onTabMessage('changed', notifyListeners)

/** Calls the listener after changes of the database, in any tab. */
export function onOfflineCopyChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
