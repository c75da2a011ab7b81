import type { Static } from '@sinclair/typebox'
import type { Caller } from '../context.ts'
import { within } from '../lib/refusal.ts'
import { logCreated } from '../log/outbox.ts'
import type { CreateBody } from '../notes/schema.ts'
import { removeAllFromSearch } from '../notes/search/indexing.ts'
import { aliasesOf, findTrashedNote, getNote, releaseAlias } from '../notes/store.ts'
import { refuseTakenAlias, releaseAliases } from '../notes/writing/aliases.ts'
import { createNote } from '../notes/writing/create.ts'
import { writeProperties, writeSentProperties } from '../notes/writing/properties.ts'
import { type HiddenAliases, putInTrash, restoreFromTrash } from '../notes/writing/trash.ts'
import { type NotePatch, replaceParts } from '../notes/writing/update.ts'
import { refuseBrokenReferences } from '../records/rows/writing/field-values.ts'
import {
  changeLive,
  deleteLive,
  releaseUnique,
  restoreDeleted,
  revertTo,
} from '../records/rows/writing/one-record.ts'
import type { RowWriter } from '../records/rows/writing/row-writer.ts'
import { RowWriters } from '../records/rows/writing/row-writer.ts'
import { insertUnder } from '../records/rows/writing/write-records.ts'
import type { ChangeOperation } from '../storage/schema/changes.ts'
import type { Tx } from '../storage/writes/transaction.ts'

/*
 * Undo and apply bring many notes and records to a given state in one transaction. They use the states and rules of the
 * API, log the changes and publish the events. Objects may exchange unique values, and rows may refer to rows that are
 * written later. Therefore `release` every object first, then `write` each, then `finish`.
 */

type NoteParts = NotePatch & Pick<Static<typeof CreateBody>, 'properties'>

/** A note or record, and the change to make. */
export interface ObjectWrite {
  readonly kind: 'note' | 'record'
  readonly op: Exclude<ChangeOperation, 'purged'>
  readonly id: string
  /** The id or name of the structure of a new record. */
  readonly structure?: string | undefined
  /**
   * The attributes of a note with its `properties`, or the values of a record; for an update, only those that change.
   */
  readonly data?: Readonly<Record<string, unknown>> | undefined
  /** The aliases that a note takes into the trash or is restored with, if not its own. */
  readonly hidden?: HiddenAliases | undefined
}

interface WriterOptions {
  readonly tx: Tx
  readonly caller: Caller
  /** Values of a request, or values from the log, to which the limits of one request do not apply. */
  readonly mode: 'sent' | 'logged'
}

/** Runs an action; its refusal may name the object. */
type AtObject = (action: () => void) => void

const asItIs: AtObject = (action) => action()

export class ObjectWriter {
  /** The notes to remove from the search tables. */
  readonly #removed: number[] = []
  readonly #rows: RowWriters
  /** The number of inserted rows, by the writer of their structure. */
  readonly #inserted = new Map<RowWriter, number>()
  /** The writer of the rows that were created last, which are logged together. */
  #creating: RowWriter | undefined
  /** Deferred checks of references to rows, which may be written later. */
  readonly #references: (() => void)[] = []

  constructor(private readonly options: WriterOptions) {
    this.#rows = new RowWriters(options.tx, options.caller)
  }

  /** Clears the unique values and the aliases that an update will replace. */
  release({ kind, id, data = {} }: Pick<ObjectWrite, 'kind' | 'id' | 'data'>): void {
    if (kind === 'record') {
      releaseUnique(this.#rows, id, data)
      return
    }
    const { alias, aliases } = data as NoteParts
    if (aliases !== undefined) releaseAliases(this.options.tx, id, aliases)
    if (alias !== undefined) releaseAlias(this.options.tx, id, alias?.trim() ?? null)
  }

  /** Writes one object; `at` also wraps its checks in `finish`. */
  write(object: ObjectWrite, at: AtObject = asItIs): void {
    at(() => {
      if (object.kind === 'record') this.#writeRecord(object, at)
      else {
        this.#logCreated()
        this.#writeNote(object)
      }
    })
  }

  /** Refuses references to rows that do not exist after all writes. */
  finish(): void {
    this.#logCreated()
    for (const check of this.#references) check()
    const { tx, caller } = this.options
    removeAllFromSearch(tx, caller.workspacePk, this.#removed)
  }

  /** Logs the rows that were created last. The log has the order of the writes. */
  #logCreated(next?: RowWriter): void {
    if (this.#creating && this.#creating !== next) logCreated(this.#creating)
    this.#creating = next
  }

  #writeRecord(record: ObjectWrite, at: AtObject): void {
    const { op, id, data = {} } = record
    const checkLater: typeof refuseBrokenReferences = (...about) => {
      this.#references.push(() => at(() => refuseBrokenReferences(...about)))
    }
    if (op === 'created') {
      this.#createRecord(record, checkLater)
      return
    }
    this.#logCreated()
    if (op === 'updated' && this.options.mode === 'logged') revertTo(this.#rows, id, data, checkLater)
    else if (op === 'updated') changeLive(this.#rows, id, data, undefined, checkLater)
    else if (op === 'restored') restoreDeleted(this.#rows, id)
    else deleteLive(this.#rows, id)
  }

  #createRecord(
    { id, structure = '', data = {} }: ObjectWrite,
    checkLater: typeof refuseBrokenReferences,
  ): void {
    const writer = this.#rows.named(structure)
    this.#logCreated(writer)
    const earlier = this.#inserted.get(writer) ?? 0
    insertUnder(writer, { id, data, earlier }, checkLater)
    this.#inserted.set(writer, earlier + 1)
  }

  #writeNote({ op, id, data = {}, hidden }: ObjectWrite): void {
    const { tx, caller } = this.options
    if (op === 'created') this.#createNote(id, data)
    else if (op === 'updated') this.#updateNote(id, data)
    else if (op === 'restored') this.#restoreNote(id, hidden)
    else putInTrash(tx, caller, id, { hidden, removed: this.#removed })
  }

  #createNote(id: string, data: object): void {
    const { tx, caller } = this.options
    const { propertiesError } = createNote(tx, caller, data as Static<typeof CreateBody>, { id })
    if (propertiesError) throw propertiesError
  }

  #updateNote(id: string, data: object): void {
    const { tx, caller, mode } = this.options
    const { properties = {}, ...parts } = data as NoteParts
    const note = getNote(tx, caller, id)
    const previous =
      mode === 'logged'
        ? writeProperties(tx, caller, note, properties)
        : within('data.properties', () => writeSentProperties(tx, caller, note, properties))
    replaceParts(tx, caller, note, parts, previous)
  }

  /** Unlike an ordinary restore, refuses if the note would lose an alias. */
  #restoreNote(id: string, hidden: HiddenAliases | undefined): void {
    const { tx, caller } = this.options
    const { workspacePk } = caller
    const note = findTrashedNote(tx, workspacePk, id)
    if (note) for (const alias of aliasesOf({ ...note, ...hidden })) refuseTakenAlias(tx, workspacePk, alias)
    restoreFromTrash(tx, caller, id, hidden)
  }
}
