import type { TextSpan } from '../../lib/markdown-lines.ts'
import { fold } from '../../lib/text.ts'
import { ensureTags, findTagByName, withLinkedTags } from '../../notes/writing/tags.ts'
import type { ImportRun } from '../import-run.ts'
import type { VaultNote } from './plan/note.ts'
import { tagNamesOf } from './plan/tags.ts'

/** The tags of a folder's notes. Missing tags are created. */
export class VaultTags {
  /** The number of tags new to the workspace. */
  created = 0
  /** Each tag with all its linked tags, by the folded name. */
  readonly #withLinked = new Map<string, readonly number[]>()

  constructor(
    private readonly run: ImportRun,
    private readonly foldersAsTags: boolean,
  ) {}

  /** The ids of a note's tags and of all their linked tags. */
  idsOf(note: VaultNote, lines: readonly TextSpan[]): number[] {
    const remark = (what: string) => this.run.change(note.file.path, what)
    const names = tagNamesOf(note, lines, this.foldersAsTags, remark)
    return [...new Set(names.flatMap((name) => this.#tagsFor(name)))]
  }

  #tagsFor(name: string): readonly number[] {
    const known = this.#withLinked.get(fold(name))
    if (known) return known
    const { tx, caller } = this.run
    if (!findTagByName(tx, caller.workspacePk, name)) this.created += 1
    const all = withLinkedTags(tx, ensureTags(tx, caller, [name]))
    this.#withLinked.set(fold(name), all)
    return all
  }
}
