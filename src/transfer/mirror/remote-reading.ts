import { MAX_CHARACTERS, MAX_PAGES } from '../../files/extraction/pages.ts'
import { hasBytes, inParts } from '../../files/store.ts'
import { refused } from '../../lib/refusal.ts'
import { instantOf } from '../../objects/copy.ts'
import type { RemoteFile } from '../../objects/files.ts'
import type { Reader } from '../../storage/reader.ts'
import type { ChangeKind } from '../../storage/schema/changes.ts'
import { type ChangePage, type Remote, RemoteRefusal, RemoteUnreachable } from './remote.ts'
import { completedObject, type RemoteChange, type RemoteObject } from './remote-objects.ts'
import { FieldKnown, type Selector, StructureReplaced } from './selection.ts'
import type { Stage } from './stage.ts'
import { FIELD, Unknown } from './unknown.ts'

/**
 * Reads the remote into a stage. Nothing is written before all pages up to the end of the log are read. Each page has
 * its objects in the state at the time of reading; only together are the pages one state of the remote.
 */
export class RemoteReading {
  /** Notes restored from the trash, together with their files. */
  readonly #restoredNotes = new Set<string>()
  /** Records that no longer existed when their changes were read, with their last changes. */
  readonly #lost = new Map<string, RemoteChange>()
  /** The last change before the first of several pages was read; names that change later may occur in other pages. */
  #startsAfter: string | undefined
  /** Whether the currently staged changes were made while the remote was read. */
  #isLater = false
  /** When the last change was made, on the clock of the remote. */
  lastAt: string | undefined

  constructor(
    private readonly remote: Remote,
    private readonly selector: Selector,
    private readonly stage: Stage,
    /** Whether to add attributes that an older remote lacks. */
    private readonly isCompleting = true,
  ) {}

  /** Stages the whole workspace; returns the cursor from which its changes continue. */
  async readSnapshot(onProgress: (objects: number) => void): Promise<string> {
    const { selector, stage } = this
    // Read first: a later change of the access is then detected.
    selector.reach(await this.remote.access())
    let cursor: string | undefined
    let count = 0
    let waiting: (() => void)[] = []
    const store = () => {
      stage.together(() => {
        for (const put of waiting) put()
      })
      waiting = []
      onProgress(count)
    }
    for await (const line of this.remote.snapshot()) {
      if (line instanceof Unknown) {
        this.#stageUnknown(line)
        continue
      }
      if (!('kind' in line)) {
        cursor = line.cursor
        this.#startsAfter = cursor
        this.#isLater = true
        continue
      }
      const { kind, structure_id } = line
      const object = this.#whole(kind, line.object)
      const selected = selector.object(kind, structure_id, object)
      count += 1
      if (selected) waiting.push(() => stage.put(kind, selected.id, structure_id, selected))
      if (waiting.length >= OBJECTS_AT_ONCE) store()
    }
    store()
    return cursor ?? ''
  }

  /**
   * Stages the changes after a cursor, up to the last one; returns the cursor after it. `first` is the first page.
   */
  async readChanges(after: string, first?: ChangePage): Promise<string> {
    let page = first ?? (await this.remote.changes(after))
    if (page.has_more && this.#startsAfter === undefined) {
      this.#startsAfter = (await this.remote.changes('now')).cursor
      page = await this.remote.changes(after)
    }
    this.#stagePage(page)
    for (let pages = 1, empty = 0; page.has_more; pages++) {
      empty = page.changes.length === 0 ? empty + 1 : 0
      if (pages >= MAX_CHANGE_PAGES || empty >= MAX_EMPTY_PAGES)
        throw refused('The remote keeps reporting more changes without end.')
      page = await this.remote.changes(page.cursor)
      this.#stagePage(page)
    }
    return page.cursor
  }

  #stageUnknown({ omitted, unknownFields, isAny }: Unknown): void {
    if (isAny) this.selector.noteUnknown()
    for (const object of omitted) this.stage.addOmitted(object)
    for (const [structure, keys] of unknownFields) this.#leaveOutFields(structure, keys)
  }

  #leaveOutFields(structure: string, keys: readonly string[]): void {
    if (this.selector.omitUnknown(structure, keys))
      throw new FieldKnown(`The structure ${structure} has omitted fields that can now be copied.`)
    for (const key of keys) this.stage.addOmitted({ kind: FIELD, id: `${structure}.${key}`, isThere: true })
    // Earlier pages have the rows in an earlier state.
    for (const { id, structureId, json } of this.stage.objects('record')) {
      if (structureId !== structure || json === null) continue
      this.stage.put(
        'record',
        id,
        structure,
        this.selector.object('record', structure, JSON.parse(json)) ?? null,
      )
    }
  }

  #stagePage({ changes, unknown }: ChangePage): void {
    this.stage.together(() => {
      this.#stageUnknown(unknown)
      for (const change of changes) this.#stageChange(change)
    })
  }

  #stageChange(received: RemoteChange): void {
    const { kind, id, op, changed, previous } = received
    this.lastAt = received.at
    if (this.#isLater && op === 'updated') {
      if (kind === 'tag' && changed.includes('name')) this.stage.addName(kind, String(previous.name), id)
      if (kind === 'property' && changed.includes('key')) this.stage.addName(kind, String(previous.key), id)
    }
    if (received.cursor === this.#startsAfter) this.#isLater = true
    const object = received.object && this.#whole(kind, received.object)
    const change = this.selector.change({ ...received, object })
    if (!change) return
    const { structure_id } = change
    if (kind === 'structure' && op === 'deleted' && change.object !== null)
      throw new StructureReplaced(`The structure ${id} was deleted and created again.`)
    this.stage.put(kind, id, structure_id, change.object)
    this.stage.addEntry(change)
    if (kind === 'note' && op === 'restored') this.#restoredNotes.add(String(id))
    if (kind !== 'record') return
    if (change.object !== null) this.#lost.delete(String(id))
    else if (op !== 'deleted' || this.#lost.has(String(id))) this.#lost.set(String(id), received)
  }

  #whole = (kind: ChangeKind, object: RemoteObject): RemoteObject =>
    this.isCompleting ? completedObject(kind, object) : object

  /** Stages data that is not in the feed: files and their texts, and the files of restored notes. */
  async readContents(copy: Reader | undefined, hasFiles: boolean): Promise<void> {
    for (const { json } of this.stage.objects('file'))
      if (json !== null) await this.#readFile(copy, JSON.parse(json) as RemoteFile, hasFiles)
    for (const note of this.#restoredNotes) {
      if (typeof this.stage.objectJson('note', note) !== 'string') continue
      const files = (await unlessGone(() => this.remote.filesOfNote(note))) ?? []
      for (const file of files) this.stage.addNoteFile(note, String(file.id))
    }
  }

  async #readFile(copy: Reader | undefined, file: RemoteFile, hasFiles: boolean): Promise<void> {
    const { id, size, status, pages, updated_at } = file
    const known = copy?.sql.get<{ pk: number; status: string; updatedAt: number }>(
      'SELECT pk, status, updated_at AS updatedAt FROM files WHERE id = ?',
      id,
    )
    // An import may have replaced its content.
    const isSame = known?.updatedAt === instantOf(updated_at)
    const isCopied = isSame && copy !== undefined && hasBytes(copy, known.pk)
    if (hasFiles && size > 0 && !isCopied) await unlessGone(() => this.#readBytes(file))
    const hasText = isSame && known.status === 'ready'
    if (status === 'ready' && pages !== null && pages > 0 && !hasText)
      await unlessGone(() => this.#readText(id, pages))
  }

  async #readBytes(file: RemoteFile): Promise<void> {
    let number = 0
    for await (const part of inParts(this.remote.fileContent(file)))
      this.stage.addContent('part', file.id, number++, part)
  }

  async #readText(id: string, pages: number): Promise<void> {
    const texts: string[] = []
    let length = 0
    for await (const text of this.remote.fileText(id, pages)) {
      texts.push(text)
      length += text.length
      if (length > MAX_CHARACTERS || texts.length > MAX_PAGES)
        throw refused(`The remote has a longer text for the file ${id} than any daybook reads of one.`)
    }
    for (const [at, text] of texts.entries()) this.stage.addContent('page', id, at, text)
  }

  /** Stages the last state of deleted records that were changed before, which events of those changes need. */
  async readDeletedRecords(): Promise<void> {
    for (const [id, last] of this.#lost) {
      const record = await unlessGone(() => recordAt(this.remote, last))
      const selected = record && this.selector.object('record', last.structure_id, record)
      if (selected) this.stage.addDeletedRecord(id, selected)
    }
  }
}

const OBJECTS_AT_ONCE = 1_000
/** Far more than a feed holds, at 1,000 changes a page. */
const MAX_CHANGE_PAGES = 100_000
/** A page without changes stands for up to 200,000 that the key cannot access. */
const MAX_EMPTY_PAGES = 1_000

/** Undefined for an object that was deleted meanwhile or is no longer ready; a later change reports it. */
export async function unlessGone<Found>(read: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof RemoteRefusal && (error.status === 404 || error.status === 400)) return undefined
    throw error
  }
}

const ATTEMPTS = 10

/**
 * A record just after one of its changes: its history is used to revert later ones. Undefined if that is no longer
 * known.
 */
async function recordAt(
  remote: Remote,
  { id, structure_id, cursor }: RemoteChange,
): Promise<RemoteObject | undefined> {
  const recordId = String(id)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const versions = await remote.historyOf(recordId)
    const record = await remote.findRecord(recordId, structure_id ?? '')
    const [newest] = await remote.historyOf(recordId)
    // It changed while it was read.
    if (newest?.cursor !== versions[0]?.cursor) continue
    const later = versions.findIndex((version) => version.cursor === cursor)
    if (!record || later === -1) return undefined
    const data: Record<string, unknown> = { ...(record.data as object) }
    for (const { previous } of versions.slice(0, later)) Object.assign(data, previous)
    const present = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null))
    const at = versions[later]?.at ?? ''
    return { ...record, data: present, ...(later > 0 && { updated_at: at, deleted_at: null }) }
  }
  throw new RemoteUnreachable(`The record ${recordId} changed again and again while it was read.`)
}
