import type { Caller } from '../../context.ts'
import { fold } from '../../lib/text.ts'
import type { TextSpan } from '../../notes/links/syntax.ts'
import { ensureTags, findTagByName, withLinkedTags } from '../../notes/writing/tags.ts'
import type { ImportRun } from '../import-run.ts'
import type { VaultNote } from './plan/note.ts'
import { tagNamesOf } from './plan/tags.ts'

/** The tags of the notes of a folder; those that do not exist are created. */
export class VaultTags {
  /** How many tags are new to the workspace. */
  created = 0
  readonly #ids = new Map<string, number>()
  /** A tag with all tags that come along with it. */
  readonly #withLinked = new Map<number, readonly number[]>()

  constructor(
    private readonly run: ImportRun,
    private readonly caller: Caller,
    private readonly foldersAsTags: boolean,
  ) {}

  /** The ids of the tags of a note and of all that come along with them. */
  idsOf(note: VaultNote, lines: readonly TextSpan[]): number[] {
    const remark = (what: string) => void this.run.changed.push({ place: note.file.path, what })
    const names = tagNamesOf(note, lines, this.foldersAsTags, remark)
    return [...new Set(names.flatMap((name) => this.#tagsFor(name)))]
  }

  #tagsFor(name: string): readonly number[] {
    const id = this.#ids.get(fold(name)) ?? this.#ensureTag(name)
    const known = this.#withLinked.get(id)
    if (known) return known
    const all = withLinkedTags(this.run.tx, [id])
    this.#withLinked.set(id, all)
    return all
  }

  #ensureTag(name: string): number {
    const { tx } = this.run
    if (!findTagByName(tx, this.caller.workspacePk, name)) this.created += 1
    const [id = 0] = ensureTags(tx, this.caller, [name])
    this.#ids.set(fold(name), id)
    return id
  }
}
