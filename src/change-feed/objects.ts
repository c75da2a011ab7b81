import { may } from '../access/rights.ts'
import type { ChangeKind } from '../changes/entries.ts'
import type { InWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { presentWholeFile } from '../files/present.ts'
import { findFile } from '../files/store.ts'
import { lensKind } from '../lenses/service.ts'
import { wholeNote } from '../notes/events.ts'
import { findNote } from '../notes/store.ts'
import { presetKind } from '../presets/service.ts'
import { propertyKind } from '../properties/service.ts'
import { itemKind } from '../quick-access/service.ts'
import { recordJson } from '../records/present.ts'
import { findLiveRecords, type RecordRow, recordBytes } from '../records/store.ts'
import { Refusal } from '../refusal.ts'
import { findRowView } from '../row-views/service.ts'
import { getSource } from '../sources/service.ts'
import { presentSource } from '../sources/store.ts'
import { presentStructureTo } from '../structures/present.ts'
import { findStructureById } from '../structures/store.ts'
import { tagKind } from '../tags/service.ts'
import { viewKind } from '../views/service.ts'
import { getWebhook } from '../webhooks/service.ts'
import { presentWebhook } from '../webhooks/store.ts'
import { isHiddenKind } from './visible.ts'

/** Whose objects they are; without a user, also those that one user alone sees. */
interface ObjectReader extends InWorkspace {
  readonly userId?: string
  /** Whether notes have `edited_at`. */
  readonly isEdited?: boolean
}

type Find = (reader: Reader, caller: ObjectReader, id: string) => object | undefined

/** The object as it is read alone, by kind; undefined when it is gone, trashed or deleted. */
const FINDERS: Record<Exclude<ChangeKind, 'record'>, Find> = {
  note: (reader, { workspacePk, isEdited }, id) => {
    const note = findNote(reader, workspacePk, id)
    return note && wholeNote(reader, note, isEdited)
  },
  tag: (reader, caller, id) => tagKind.find(reader, caller, Number(id)),
  property: propertyKind.find,
  structure: (reader, caller, id) => {
    const structure = findStructureById(reader, caller, id)
    return structure && presentStructureTo(caller, structure)
  },
  preset: presetKind.find,
  view: viewKind.find,
  lens: lensKind.find,
  quick_access_item: itemKind.find,
  file: (reader, caller, id) => {
    const file = findFile(reader, caller, id)
    return file && presentWholeFile(reader, file)
  },
  source: (reader, caller, id) => unlessGone(() => presentSource(getSource(reader, caller, id, 'read'))),
  webhook: (reader, caller, id) => unlessGone(() => presentWebhook(getWebhook(reader, caller, id, 'read'))),
  row_view: findRowView,
  /** What a share opens, and how, is told to who may end it, and to no follower. */
  share: () => undefined,
}

function unlessGone<Found>(get: () => Found): Found | undefined {
  try {
    return get()
  } catch (error) {
    if (error instanceof Refusal && ['not_found', 'no_access'].includes(error.code)) return undefined
    throw error
  }
}

const MAX_BYTES_AT_ONCE = 16_777_216

/** The current state of objects as JSON text, each read once. */
export class CurrentObjects {
  readonly #known = new Map<string, string>()
  readonly #records = new Map<string, RecordRow | undefined>()
  /** Whether structures still exist and their rows may be read, by id. */
  readonly #structures = new Map<string, boolean>()

  constructor(
    private readonly reader: Reader,
    private readonly caller: ObjectReader,
  ) {}

  /** Reads live records at once, for `jsonOf`; very long ones are left to be read one by one. */
  loadRecords(ids: readonly string[]): void {
    if (recordBytes(this.reader, ids) > MAX_BYTES_AT_ONCE) return
    const found = findLiveRecords(this.reader, ids)
    for (const id of ids) this.#records.set(id, undefined)
    for (const row of found) this.#records.set(row.id, row)
  }

  /** `null` when it is gone, trashed or deleted. */
  jsonOf(kind: ChangeKind, id: string | number, structureId: string | null): string {
    const name = `${kind} ${id}`
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const json = this.#jsonOf(kind, String(id), structureId)
    this.#known.set(name, json)
    return json
  }

  #jsonOf(kind: ChangeKind, id: string, structureId: string | null): string {
    if (isHiddenKind(this.caller, kind)) return 'null'
    return kind === 'record' ? this.#record(id, structureId) : this.#other(kind, id)
  }

  #other(kind: Exclude<ChangeKind, 'record'>, id: string): string {
    return JSON.stringify(FINDERS[kind](this.reader, this.caller, id) ?? null)
  }

  /** The rows of a structure that is being deleted are gone at once. */
  #record(id: string, structureId: string | null): string {
    if (structureId === null || !this.#hasStructure(structureId)) return 'null'
    const row = this.#records.has(id) ? this.#records.get(id) : findLiveRecords(this.reader, [id])[0]
    return row ? recordJson(row) : 'null'
  }

  #hasStructure(id: string): boolean {
    const known = this.#structures.get(id)
    if (known !== undefined) return known
    const exists =
      may(this.caller.rights, id, 'read') && findStructureById(this.reader, this.caller, id) !== undefined
    this.#structures.set(id, exists)
    return exists
  }
}
