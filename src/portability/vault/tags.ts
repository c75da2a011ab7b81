import type { Caller } from '../../context.ts'
import { codePointLength, fold } from '../../lib/text.ts'
import { bracketedIn, type Passage } from '../../notes/links/syntax.ts'
import { addToTagCount, ensureTags, findTagByName, withLinkedTags } from '../../notes/writing/tags.ts'
import type { ImportRun } from '../import-run.ts'
import type { VaultNote } from './note.ts'

const MAX_TAG_LENGTH = 100

/** A word as the name of a tag, without the hash; undefined when the name would be empty or too long. */
function tagNameOf(word: string): string | undefined {
  const name = word
    .normalize('NFC')
    .replace(/^#+/, '')
    .replace(/\/+$/, '')
    .replace(/[,\p{Cc}]/gu, ' ')
    .trim()
  return name === '' || codePointLength(name) > MAX_TAG_LENGTH ? undefined : name
}

const INLINE_TAG = /(?<=^|\s)#[\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Join_Control}_/-]+/gu
/** `#1984` is a number, not a tag. */
const NOT_A_NUMBER = /[^#\p{N}/]/u

/** The tags in a line of a body, outside code and links: `#word`, `#word/subword`. */
function* inlineTags(line: string): Generator<string> {
  if (!line.includes('#')) return
  for (const [word] of withoutLinks(line).matchAll(INLINE_TAG)) if (NOT_A_NUMBER.test(word)) yield word
}

function withoutLinks(line: string): string {
  let result = ''
  let from = 0
  for (const { text, start } of bracketedIn(line)) {
    result += line.slice(from, start)
    from = start + text.length
  }
  return result + line.slice(from)
}

/** Puts tags on the notes of a folder. The note counts of tags are written once, at the end. */
export class VaultTags {
  /** How many tags are new to the workspace. */
  created = 0
  readonly #ids = new Map<string, number>()
  /** A tag with all tags that come along with it. */
  readonly #withLinked = new Map<number, readonly number[]>()
  readonly #noteCounts = new Map<number, number>()

  constructor(
    private readonly run: ImportRun,
    private readonly caller: Caller,
    private readonly foldersAsTags: boolean,
  ) {}

  /** Puts on a note the tags of its front matter, its body and its folder. Returns their ids. */
  addTo(pk: number, { tags, file }: VaultNote, lines: readonly Passage[]): number[] {
    const words = new Set(tags)
    for (const { text } of lines) for (const word of inlineTags(text)) words.add(word)
    if (this.foldersAsTags) words.add(file.path.slice(0, Math.max(0, file.path.lastIndexOf('/'))))
    const ids = new Set([...words].flatMap((word) => this.#tagsFor(word, file.path)))
    for (const id of ids) {
      this.run.tx.sql.run('INSERT INTO note_tags (tag, note) VALUES (?, ?)', id, pk)
      this.#noteCounts.set(id, (this.#noteCounts.get(id) ?? 0) + 1)
    }
    return [...ids]
  }

  /** To be called once every note has its tags. */
  updateCounts(): void {
    for (const [id, notes] of this.#noteCounts) addToTagCount(this.run.tx, id, notes)
  }

  #tagsFor(word: string, place: string): readonly number[] {
    const name = tagNameOf(word)
    if (name === undefined) {
      const what = `the tag "${word}" is left out; a tag has 1 to ${MAX_TAG_LENGTH} characters.`
      if (word.trim() !== '') this.run.changed.add({ place, what })
      return []
    }
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
