import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { StoredCell } from '../data/pending-cells.ts'
import type { Session } from '../data/session.ts'
import type { Row } from '../pages/records/model.ts'
import type { KeptNote } from './kept-notes.ts'
import type { StoredBase, StoredNote } from './queue.ts'

/*
 * What this browser keeps, in one database: a copy of a part of the workspace, from which reads are answered while the
 * server is away, and the queue of what was written and is not acknowledged.
 */

export interface KeptRow {
  readonly structure: string
  readonly id: string
  readonly row: Row
}

/** A structure whose rows are kept. */
export interface Mark {
  readonly user: string
  readonly workspace: string
  readonly structure: string
  readonly name: string
  /** Undefined until all rows are there; an instant of the server. */
  readonly since?: number
  readonly rows: number
  /** Why its rows are not kept, in a sentence. */
  readonly problem?: string
}

/** Whose copy it is, and how far it goes. */
export interface About {
  readonly session: Session
  /** The place in the change feed up to which the copy is true; undefined while it is being made. */
  readonly cursor: string | undefined
  readonly since: number
  /** What the person could read, as a text. */
  readonly access: string
  readonly notes: number
  readonly characters: number
  readonly pictures?: { readonly count: number; readonly bytes: number }
}

interface Schema extends DBSchema {
  about: { key: 'copy'; value: About }
  notes: { key: string; value: KeptNote }
  texts: { key: string; value: string }
  rows: { key: [structure: string, id: string]; value: KeptRow }
  marks: { key: [user: string, workspace: string, structure: string]; value: Mark }
  /** Responses that are kept as they came, by their paths. */
  answers: { key: string; value: object }
  queue: { key: string[]; value: StoredNote | StoredCell }
  /** What the contents of notes were before they were written into: stored once, as a long one takes long to store. */
  bases: { key: string[]; value: StoredBase }
}

export type OfflineDatabase = IDBPDatabase<Schema>

/** The stores of the copy; they can be filled again at any time. */
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
    // Another tab with a newer form of the database: opened again when it is next needed.
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

/** Calls the listener when the browser, or who uses it, has cleared what was kept. */
export function onCleared(listener: () => void): void {
  clearedListeners.add(listener)
}

/** All rows of a structure lie between. */
export const rowsOf = (structure: string): IDBKeyRange => IDBKeyRange.bound([structure], [structure, []])

export const whereOf = (user: string, workspace: string): IDBKeyRange =>
  IDBKeyRange.bound([user, workspace], [user, workspace, []])

/** Tells all tabs that what is kept has changed. */
const news = new BroadcastChannel('daybook-offline')

export function tellChanged(): void {
  news.postMessage('changed')
  for (const listener of listeners) listener()
}

const listeners = new Set<() => void>()

/** Calls the listener whenever what is kept has changed, in this tab or another. */
export function onKeptChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

news.onmessage = () => {
  for (const listener of listeners) listener()
}
