import type { Caller } from '../../context.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { codePointLength, fold } from '../../lib/text.ts'
import { bracketedIn, type Passage } from '../../notes/links/syntax.ts'
import { countInTag, ensureTags, findTagByName, withTagsComingAlong } from '../../notes/writing/tagging.ts'
import type { Changes } from './changes.ts'
import type { VaultNote } from './note.ts'

const LONGEST = 100

/** A word as the name of a tag, without the hash; undefined when nothing, or too much, is left. */
export function tagNameOf(word: string): string | undefined {
  const name = word
    .normalize('NFC')
    .replace(/^#+/, '')
    .replace(/\/+$/, '')
    .replace(/[,\p{Cc}]/gu, ' ')
    .trim()
  return name === '' || codePointLength(name) > LONGEST ? undefined : name
}

const INLINE = /(?<=^|\s)#[\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Join_Control}_/-]+/gu
/** `#1984` is a number. */
const SAYS_MORE_THAN_A_NUMBER = /[^#\p{N}/]/u

/** The tags that a line of a body names, outside code and links: `#word`, `#word/within`. */
export function* inlineTags(line: string): Generator<string> {
  if (!line.includes('#')) return
  for (const [word] of withoutLinks(line).matchAll(INLINE)) if (SAYS_MORE_THAN_A_NUMBER.test(word)) yield word
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

/** Puts tags on the new notes of a folder; counts them together at the end. */
export class VaultTags {
  made = 0
  readonly #ids = new Map<string, number>()
  /** A tag and all that comes along with it. */
  readonly #along = new Map<number, readonly number[]>()
  readonly #counts = new Map<number, number>()

  constructor(
    private readonly tx: Tx,
    private readonly caller: Caller,
    private readonly changes: Changes,
    private readonly foldersAsTags: boolean,
  ) {}

  /** Those of the front matter, those in the lines of its body, and that of its folder; answers their ids. */
  put(pk: number, { tags, file }: VaultNote, lines: readonly Passage[]): number[] {
    const words = new Set(tags)
    for (const { text } of lines) for (const word of inlineTags(text)) words.add(word)
    if (this.foldersAsTags) words.add(file.path.slice(0, Math.max(0, file.path.lastIndexOf('/'))))
    const ids = new Set([...words].flatMap((word) => this.#tagsFor(word, file.path)))
    for (const id of ids) {
      this.tx.sql.run('INSERT INTO note_tags (tag, note) VALUES (?, ?)', id, pk)
      this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1)
    }
    return [...ids]
  }

  /** To be called when every note has its tags. */
  count(): void {
    for (const [id, notes] of this.#counts) countInTag(this.tx, id, notes)
  }

  #tagsFor(word: string, place: string): readonly number[] {
    const name = tagNameOf(word)
    if (name === undefined) {
      if (word.trim() !== '')
        this.changes.note(place, `the tag "${word}" is left out; a tag has 1 to ${LONGEST} characters.`)
      return []
    }
    const id = this.#ids.get(fold(name)) ?? this.#find(name)
    const known = this.#along.get(id)
    if (known) return known
    const along = withTagsComingAlong(this.tx, [id])
    this.#along.set(id, along)
    return along
  }

  #find(name: string): number {
    if (!findTagByName(this.tx, this.caller.workspacePk, name)) this.made += 1
    const [id = 0] = ensureTags(this.tx, this.caller, [name])
    this.#ids.set(fold(name), id)
    return id
  }
}
