import { type Aliased, aliasesOf } from '../../../lib/aliases.ts'
import { fold } from '../../../lib/text.ts'
import { namesIn, targetKey, targetText } from '../../../lib/wiki-links.ts'
import type { FolderFile } from '../../../transfer/vault/plan/files.ts'
import { aliasesFor, LinkTargets, targetFor } from '../../../transfer/vault/plan/link-targets.ts'
import { type AddedFile, type LinkContext, planBody } from '../../../transfer/vault/plan/links.ts'
import type { VaultNote } from '../../../transfer/vault/plan/note.ts'
import type { Original } from '../../../transfer/vault/plan/originals.ts'
import { tagNamesOf } from '../../../transfer/vault/plan/tags.ts'

/** The parts of a note that links can refer to. */
export interface NoteHead extends Aliased {
  readonly id: string
  readonly title: string
  readonly created_at_ms: number
}

const isOlder = (one: NoteHead, other: NoteHead): boolean =>
  one.created_at_ms === other.created_at_ms ? one.id < other.id : one.created_at_ms < other.created_at_ms

/**
 * Resolves the target of a link as the server does: by ID, else by alias, else by title. Of several notes with the same
 * title, the oldest wins.
 */
export class NoteNames {
  readonly #byId = new Map<string, NoteHead>()
  readonly #byAlias = new Map<string, NoteHead>()
  readonly #byTitle = new Map<string, NoteHead>()

  constructor(notes: readonly NoteHead[]) {
    for (const note of notes) this.add(note)
  }

  add(note: NoteHead): void {
    this.#byId.set(note.id, note)
    for (const alias of aliasesOf(note)) this.#byAlias.set(fold(alias), note)
    const title = fold(note.title)
    const known = this.#byTitle.get(title)
    if (!known || isOlder(note, known)) this.#byTitle.set(title, note)
  }

  withId(id: string): NoteHead | undefined {
    return this.#byId.get(id)
  }

  find(target: string): NoteHead | undefined {
    const key = targetKey(target)
    const parts = namesIn(targetText(key)).slice(1)
    for (const name of [key, ...parts.map((part) => part.trim())]) {
      const found = this.#named(name)
      if (found) return found
    }
    return undefined
  }

  /** A title may begin or end with spaces; the key then contains it, untrimmed, after a line break. */
  #named(key: string): NoteHead | undefined {
    const [trimmed = '', whole = ''] = key.split('\n')
    return (
      (whole === '' ? undefined : this.#byTitle.get(whole)) ??
      this.#byId.get(trimmed) ??
      this.#byAlias.get(trimmed) ??
      this.#byTitle.get(trimmed)
    )
  }
}

/** A note of the folder with the note that an earlier import created, or with the ID of the new one. */
export interface PlannedNote {
  readonly note: VaultNote
  readonly existing: NoteHead | undefined
  readonly id: string
}

const namesOf = ([first, ...aliases]: readonly string[]): Aliased => ({
  alias: first ?? null,
  ...(aliases.length > 0 && { aliases }),
})

/** A note ready to send. */
export interface NewNote {
  readonly title: string
  readonly alias: string | null
  /** Further aliases; undefined if there are none. */
  readonly aliases: readonly string[] | undefined
  readonly content: string
  readonly original: Original
  readonly tags: string[]
  /** Its attached files. */
  readonly files: readonly FolderFile[]
  readonly remarks: readonly string[]
}

/**
 * Plans the aliases and links of the notes of a folder. Links are rewritten so that the server resolves them as in the
 * folder once all notes exist. Notes are passed oldest first.
 */
export class FolderPlan implements LinkContext {
  readonly linkTargets: LinkTargets
  readonly #heads = new Map<VaultNote, NoteHead>()
  readonly #found = new Map<string, string | undefined>()
  /** The files attached to a note: those that it is the first to link to. */
  readonly #attached = new Map<VaultNote, Set<FolderFile>>()
  readonly #linked = new Set<FolderFile>()

  /** `files` are stored already or will be; `remark` receives aliases that are not imported. */
  constructor(
    planned: readonly PlannedNote[],
    private readonly files: Map<FolderFile, AddedFile>,
    otherFiles: readonly FolderFile[],
    private readonly names: NoteNames,
    remark: (note: VaultNote, what: string) => void,
  ) {
    this.linkTargets = new LinkTargets(
      planned.map(({ note }) => note),
      otherFiles,
    )
    const titles = new Set(planned.map(({ note }) => fold(note.title)))
    const isName = (name: string) => titles.has(fold(name)) || names.find(name) !== undefined
    for (const { note, existing, id } of planned) {
      const head = existing ?? {
        id,
        title: note.title,
        ...namesOf(aliasesFor(note, isName, (what) => remark(note, what))),
        created_at_ms: note.createdAt,
      }
      this.#heads.set(note, head)
      if (!existing) names.add(head)
    }
  }

  /** The note to send, from the text of its file. */
  newNote(note: VaultNote, text: string, foldersAsTags: boolean): NewNote {
    const remarks: string[] = []
    const remark = (what: string) => void remarks.push(what)
    const { lines, body, original } = planBody(this, note, text, remark)
    const { title, alias, aliases } = this.#headOf(note)
    return {
      title,
      alias,
      aliases,
      content: body,
      original,
      tags: tagNamesOf(note, lines, foldersAsTags, remark),
      files: [...(this.#attached.get(note) ?? [])],
      remarks,
    }
  }

  resolvesTo(target: string, note: VaultNote): boolean {
    return this.#find(target) === this.#headOf(note).id
  }

  isNoName(target: string): boolean {
    return this.#find(target) === undefined
  }

  targetFor(note: VaultNote, heading = ''): string {
    return targetFor(this.#headOf(note), heading, (target) => this.resolvesTo(target, note))
  }

  addFile(file: FolderFile, from: VaultNote): AddedFile | undefined {
    const stored = this.files.get(file)
    if (!stored || this.#linked.has(file)) return stored
    this.#linked.add(file)
    this.#attached.set(from, (this.#attached.get(from) ?? new Set()).add(file))
    return stored
  }

  /** The ID of a file that is or will be stored. */
  idOf(file: FolderFile): string | undefined {
    return this.files.get(file)?.id
  }

  /** Removes a file that could not be stored, so that nothing links to it. */
  dropFile(file: FolderFile): void {
    this.files.delete(file)
    for (const files of this.#attached.values()) files.delete(file)
  }

  #find(target: string): string | undefined {
    if (!this.#found.has(target)) this.#found.set(target, this.names.find(target)?.id)
    return this.#found.get(target)
  }

  #headOf(note: VaultNote): NoteHead {
    const head = this.#heads.get(note)
    if (!head) throw new Error('a link leads to a note that is not in the folder')
    return head
  }
}
