import { sha256 } from '../../lib/sha256.ts'
import { fold } from '../../lib/text.ts'
import { mayLink, targetKey } from '../../lib/wiki-links.ts'
import { publishNote } from '../../notes/events.ts'
import { indexAllLinks } from '../../notes/links/indexing.ts'
import { resolveTarget } from '../../notes/links/resolve-target.ts'
import type { getPropertyRow } from '../../notes/properties/service.ts'
import {
  aliasColumns,
  aliasesOf,
  furtherAliasesOf,
  getNote,
  type NoteRow,
  type NoteSummary,
  updateNote,
} from '../../notes/store.ts'
import { indexAliases } from '../../notes/writing/aliases.ts'
import { addContent, insertNote } from '../../notes/writing/create.ts'
import {
  findPropertyKey,
  type PropertyRule,
  type PropertyValues,
  readProperties,
  setValue,
  writeProperties,
} from '../../notes/writing/properties.ts'
import { attachTags, detachTags } from '../../notes/writing/tags.ts'
import { changeText } from '../../notes/writing/update.ts'
import type { ImportRun } from '../import-run.ts'
import {
  aliasFields,
  type EarlierImport,
  type EarlierImports,
  type ExistingNote,
  type PlannedNote,
  type WrittenFields,
  writtenAliases,
} from './earlier-imports.ts'
import { readWhole, type VaultFiles } from './folder.ts'
import type { FolderFile } from './plan/files.ts'
import { aliasesFor, type LinkTargets, targetFor } from './plan/link-targets.ts'
import { type LinkContext, planBody } from './plan/links.ts'
import type { VaultNote } from './plan/note.ts'
import type { PropertyPlan } from './plan/properties.ts'
import { withPropertyLinks } from './plan/property-links.ts'
import type { VaultTags } from './vault-tags.ts'

export type VaultProperties = PropertyPlan<ReturnType<typeof getPropertyRow>>

/** The parts that notes are written with. */
export interface VaultParts {
  readonly folder: string
  readonly updates: boolean
  readonly properties: VaultProperties
  readonly files: VaultFiles
  readonly tags: VaultTags
  readonly linkTargets: LinkTargets
  readonly earlier: EarlierImports
}

/** The database state of a note when links are resolved. */
type Head = Pick<NoteSummary, 'pk' | 'id' | 'title' | 'alias' | 'aliases'>

type Aliases = Pick<Head, 'alias' | 'aliases'>

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** The columns of these aliases; no further aliases stay null if they were. */
const aliasesOfNote = ([first, ...further]: readonly string[], before: string | null): Aliases => ({
  alias: first ?? null,
  aliases: further.length === 0 && before === null ? null : JSON.stringify(further),
})

/**
 * Writes the notes of a folder: first all heads, then the bodies. The service resolves links as it will later only when
 * all titles and aliases are stored. Links that it resolves differently are rewritten.
 */
export class VaultWriter implements LinkContext {
  created = 0
  updated = 0
  linksRewritten = 0
  readonly linkTargets: LinkTargets
  readonly #heads = new Map<VaultNote, Head>()
  readonly #titles = new Set<string>()
  /** The pk of the note that the service resolves each target to, by the target's key. */
  readonly #resolved = new Map<string, number | undefined>()

  constructor(
    private readonly run: ImportRun,
    private readonly parts: VaultParts,
  ) {
    this.linkTargets = parts.linkTargets
  }

  /** `onProgress` receives the completed fraction, from 0 to 1. */
  write(planned: readonly PlannedNote[], onProgress: (share: number) => void): void {
    for (const { note, existing } of planned) {
      this.#titles.add(fold(note.title))
      if (existing?.isUpdated) this.#dropAliases(note, existing)
    }
    for (const { note, existing } of planned) this.#heads.set(note, this.#writeHead(note, existing))
    for (const [at, plan] of planned.entries()) {
      this.#writeBody(plan)
      onProgress((at + 1) / planned.length)
    }
  }

  /** The id of the note that was written for a file. */
  idOf = (note: VaultNote): string => this.#headOf(note).id

  resolvesTo(target: string, note: VaultNote): boolean {
    return this.#resolve(target) === this.#headOf(note).pk
  }

  isNoName(target: string): boolean {
    return this.#resolve(target) === undefined
  }

  #resolve(target: string): number | undefined {
    const key = targetKey(target)
    if (!this.#resolved.has(key))
      this.#resolved.set(key, resolveTarget(this.run.tx, this.run.caller.workspacePk, key))
    return this.#resolved.get(key)
  }

  targetFor(note: VaultNote, heading = ''): string {
    return targetFor(this.#headOf(note), heading, (target) => this.resolvesTo(target, note))
  }

  addFile(file: FolderFile, from: VaultNote) {
    return this.parts.files.add(file, this.#headOf(from).pk)
  }

  #headOf(note: VaultNote): Head {
    const head = this.#heads.get(note)
    if (!head) throw new Error('a link leads to a note that is not written')
    return head
  }

  #writeHead(note: VaultNote, existing: ExistingNote | undefined): Head {
    if (existing) return existing.isUpdated ? this.#updateHead(note, existing) : existing.head
    const { tx } = this.run
    const { title, createdAt, updatedAt } = note
    const names = aliasesOfNote(this.#aliasesFor(note), null)
    const id = tx.newId()
    const { alias } = names
    const aliases = names.aliases === null ? undefined : furtherAliasesOf(names)
    const pk = insertNote(tx, this.run.caller, { id, title, alias, aliases, createdAt, updatedAt })
    return { pk, id, title, ...names }
  }

  /** Frees aliases that an earlier import wrote and that the file no longer has. */
  #dropAliases(note: VaultNote, { head, earlier }: ExistingNote): void {
    const { kept, current } = mergedAliases(note, head, fieldsOf(earlier))
    if (kept.length < current.length) this.#setAliases(head, aliasesOfNote(kept, head.aliases))
  }

  #setAliases({ pk }: Head, { alias, aliases }: Aliases, title?: string): void {
    const { tx, caller } = this.run
    const named = title === undefined ? {} : { title, titleFold: fold(title) }
    updateNote(tx, pk, { ...named, ...aliasColumns(alias), aliases })
    indexAliases(tx, caller.workspacePk, pk)
  }

  /** Titles and aliases that were changed in daybook stay, unless the title in the file has changed. */
  #updateHead(note: VaultNote, { head, earlier }: ExistingNote): Head {
    const written = fieldsOf(earlier)
    const title = note.title === written.title ? head.title : note.title
    const { kept, current, wanted, isOwn } = mergedAliases(note, head, written)
    const ofFile = this.#aliasesFor({ ...note, aliases: wanted }, kept)
    const names = isOwn ? ofFile : [...new Set([...kept, ...ofFile])]
    const aliases = isSameList(names, current) ? head : aliasesOfNote(names, head.aliases)
    if (title !== head.title || aliases !== head) this.#setAliases(head, aliases, title)
    return { ...head, title, alias: aliases.alias, aliases: aliases.aliases }
  }

  #aliasesFor(note: VaultNote, kept?: readonly string[]): string[] {
    const isName = (name: string) =>
      this.#titles.has(fold(name)) ||
      resolveTarget(this.run.tx, this.run.caller.workspacePk, targetKey(name)) !== undefined
    return aliasesFor(note, isName, this.#remarkOn(note), kept)
  }

  #remarkOn =
    ({ file }: VaultNote) =>
    (what: string): void =>
      this.run.change(file.path, what)

  #writeBody({ note, existing }: PlannedNote): void {
    if (existing && !existing.isUpdated) {
      this.#refreshLinks(note, existing)
      return
    }
    const head = this.#headOf(note)
    const { title, pk, id, alias, aliases } = head
    const { parts, run } = this
    const { lines, body, original } = this.#read(note)
    this.linksRewritten += original.links.length
    const properties = this.#propertiesOf(note)
    const tagIds = parts.tags.idsOf(note, lines)
    if (existing) {
      if (updateFromFile(run, note, existing, { body, tagIds, properties }))
        this.#noteUpdate(note, 'it was brought up to date with its file.')
    } else {
      for (const [rule, value] of properties) setValue(run.tx, pk, rule, value)
      attachTags(run.tx, pk, tagIds)
      addContent(run.tx, run.caller.workspacePk, { pk, title, alias, aliases, content: body, tagIds })
      if (properties.values().some(mayLink))
        indexAllLinks(run.tx, { workspace: run.caller.workspacePk, note: pk }, body)
      publishNote(run.tx, run.caller, 'note.created', id)
      this.created += 1
    }
    const names = recordedAliases(note, head, fieldsOf(existing?.earlier))
    const fields = writtenFields({ title: note.title, aliases: names, tagIds, properties })
    const now = { digest: note.digest, written: sha256(body), fields, original }
    if (existing) parts.earlier.update(run.tx, existing.earlier, note.file.path, now)
    else parts.earlier.add(run.tx, 'note', note.file.path, { ...now, object: id })
  }

  /** Links of a note whose file is unchanged may lead to new or renamed files. */
  #refreshLinks(note: VaultNote, { head, earlier }: ExistingNote): void {
    if (!this.parts.updates) return
    const { tx, caller } = this.run
    const current = getNote(tx, caller, head.id)
    if (sha256(current.content) !== earlier.written) return
    const { body, original } = this.#read(note)
    // Earlier versions kept front matter in TOML and JSON in the body.
    if (original.front !== '' && current.content.startsWith(original.front)) return
    const { digest } = earlier
    const { fields, previousProperties } = this.#refreshProperties(note, current, earlier)
    const now = { digest, fields, written: sha256(body), original }
    if (body === current.content && Object.keys(previousProperties).length === 0) {
      if (earlier.hasOriginal === 0) this.parts.earlier.update(tx, earlier, note.file.path, now)
      return
    }
    this.linksRewritten += original.links.length
    changeText(tx, caller, current, { title: current.title, content: body }, { previousProperties })
    this.parts.earlier.update(tx, earlier, note.file.path, now)
    this.#noteUpdate(note, 'its links were brought up to date.')
  }

  /** Values that were changed in daybook stay. Returns the former values of the others. */
  #refreshProperties(note: VaultNote, current: NoteRow, { fields }: EarlierImport) {
    const previousProperties: PropertyValues = {}
    if (!fields) return { fields, previousProperties }
    const written: Record<string, unknown> = { ...fields.properties }
    const now = readProperties(this.run.tx, current.pk)
    for (const [{ pk, key }, value] of this.#propertiesOf(note)) {
      const before = JSON.stringify(written[pk])
      if (before === JSON.stringify(value) || before !== JSON.stringify(now[key])) continue
      Object.assign(
        previousProperties,
        writeProperties(this.run.tx, this.run.caller, current, { [key]: value }),
      )
      written[pk] = value
    }
    return { fields: { ...fields, properties: written }, previousProperties }
  }

  #propertiesOf = (note: VaultNote): Map<PropertyRule, unknown> =>
    withPropertyLinks<PropertyRule>(this, note, this.parts.properties.valuesOf(note.properties))

  #noteUpdate({ file }: VaultNote, what: string): void {
    this.updated += 1
    this.run.change(file.path, what)
  }

  #read(note: VaultNote) {
    return planBody(this, note, readWhole(this.parts.folder, note), this.#remarkOn(note))
  }
}

/**
 * The aliases of a file, of its note, and of the file at the last import, merged. `current` are those of the note,
 * `kept` those that stay, and `wanted` those of the file that were not removed in daybook. `isOwn` tells that only
 * imports have written them.
 */
function mergedAliases({ aliases }: VaultNote, head: Head, written: WrittenFields) {
  const before = writtenAliases(written)
  const current = aliasesOf(head)
  return {
    current,
    kept: current.filter((name) => aliases.includes(name) || !before.includes(name)),
    wanted: aliases.filter((name) => current.includes(name) || !before.includes(name)),
    isOwn: isSameList(before, current),
  }
}

/** The aliases of a file that its note has, or that were removed from the note in daybook. */
function recordedAliases({ aliases }: VaultNote, head: Head, written: WrittenFields): string[] {
  const known = new Set([...aliasesOf(head), ...writtenAliases(written)])
  return [...new Set(aliases)].filter((name) => known.has(name))
}

/** The current state of a note's file. */
export interface NewState {
  readonly body: string
  readonly tagIds: readonly number[]
  readonly properties: ReadonlyMap<PropertyRule, unknown>
}

interface FileState extends Omit<NewState, 'body'> {
  readonly title: string
  readonly aliases: readonly string[]
}

const writtenFields = ({ title, aliases, tagIds, properties }: FileState): WrittenFields => ({
  title,
  ...aliasFields(aliases),
  tags: tagIds,
  properties: Object.fromEntries(Array.from(properties, ([{ pk }, value]) => [pk, value])),
})

const NOTHING: WrittenFields = { title: '', alias: null, tags: [], properties: {} }

const fieldsOf = (earlier: EarlierImport | undefined): WrittenFields => earlier?.fields ?? NOTHING

/**
 * Applies the file's changes since the last import to a note. Changes made only in daybook stay. If both changed the
 * body, the file's body is used and the other becomes a revision. The database already has the new title and aliases;
 * `head` has the former ones. Returns whether anything changed.
 */
function updateFromFile(
  run: ImportRun,
  note: VaultNote,
  { head, earlier }: Omit<ExistingNote, 'isUpdated'>,
  state: NewState,
): boolean {
  const { tx, caller } = run
  const current = getNote(tx, caller, head.id)
  const before: NoteRow = { ...current, title: head.title, alias: head.alias, aliases: head.aliases }
  const isNewBody = sha256(state.body) !== earlier.written
  if (isNewBody && current.content !== state.body && sha256(current.content) !== earlier.written)
    run.change(note.file.path, 'it was changed in daybook too; that text is kept as a revision.')
  const { tags, properties } = fieldsOf(earlier)
  const gone = tags.filter((id) => !state.tagIds.includes(id))
  const fresh = state.tagIds.filter((id) => !tags.includes(id))
  const isDetached = detachTags(tx, head.pk, gone)
  const tagsAdded = attachTags(tx, head.pk, fresh).length > 0 || isDetached
  const previousProperties = changeProperties(run, current, properties, state.properties)
  const { alias, aliases } = current
  const changes = {
    ...(alias !== head.alias && aliasColumns(alias)),
    ...(aliases !== head.aliases && { aliases }),
  }
  const text = { title: current.title, content: isNewBody ? state.body : current.content }
  const after = changeText(tx, caller, before, text, { changes, tagsAdded, previousProperties })
  return after.updatedAt !== head.updatedAt
}

/**
 * Sets the values that are new in the file, and clears values that the file no longer has. Returns the former values.
 */
function changeProperties(
  { tx, caller }: ImportRun,
  note: { readonly pk: number; readonly id: string },
  before: WrittenFields['properties'],
  now: NewState['properties'],
): PropertyValues {
  const values: PropertyValues = {}
  const kept = new Set(Array.from(now.keys(), ({ pk }) => String(pk)))
  for (const pk of Object.keys(before).filter((known) => !kept.has(known))) {
    const key = findPropertyKey(tx, Number(pk))
    if (key !== undefined) values[key] = null
  }
  for (const [{ pk, key }, value] of now)
    if (JSON.stringify(before[pk]) !== JSON.stringify(value)) values[key] = value
  return writeProperties(tx, caller, note, values)
}
