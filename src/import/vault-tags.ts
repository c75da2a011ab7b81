import type { Caller } from '../context.ts'
import type { Tx } from '../db/write-queue.ts'
import { codePointLength, fold } from '../lib/text.ts'
import { bracketedIn, type Passage } from '../notes/link-syntax.ts'
import { ensureTags, findTagByName, putTagsOn } from '../notes/tagging.ts'
import type { Changes } from './vault-changes.ts'
import type { VaultNote } from './vault-note.ts'

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

/** Puts tags on the notes of a folder. */
export class VaultTags {
  made = 0
  readonly #ids = new Map<string, number>()

  constructor(
    private readonly tx: Tx,
    private readonly caller: Caller,
    private readonly changes: Changes,
    private readonly foldersAsTags: boolean,
  ) {}

  /** Those of the front matter, those in the lines of its body, and that of its folder. */
  put(pk: number, { tags, file }: VaultNote, lines: readonly Passage[]): void {
    const words = new Set(tags)
    for (const { text } of lines) for (const word of inlineTags(text)) words.add(word)
    if (this.foldersAsTags) words.add(file.path.slice(0, Math.max(0, file.path.lastIndexOf('/'))))
    const ids = [...words].flatMap((word) => this.#idOf(word, file.path) ?? [])
    putTagsOn(this.tx, pk, [...new Set(ids)])
  }

  #idOf(word: string, place: string): number | undefined {
    const name = tagNameOf(word)
    if (name === undefined) {
      if (word.trim() !== '')
        this.changes.note(place, `the tag "${word}" is left out; a tag has 1 to ${LONGEST} characters.`)
      return undefined
    }
    const known = this.#ids.get(fold(name))
    if (known !== undefined) return known
    if (!findTagByName(this.tx, this.caller.workspacePk, name)) this.made += 1
    const [id] = ensureTags(this.tx, this.caller, [name])
    if (id !== undefined) this.#ids.set(fold(name), id)
    return id
  }
}
