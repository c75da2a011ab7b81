import { fold, normalized } from '../../lib/text.ts'

/*
 * A workspace as plain files:
 *
 *   daybook.json          the version of this format, and the number of objects of each kind
 *   tags.json, …          one array of objects each, as the API accepts them, with id and timestamps
 *   notes/<title>.md      front matter and body; trash/<title>.md for notes in the trash
 *   structures/<name>.json and .jsonl   the definition, and one row per line
 *   files.json, files/<name>            the metadata of each file, and the original files
 *
 * Not exported: revisions, deliveries, keys, users and the secrets of webhooks.
 */

export const FORMAT = 1
export const MANIFEST = 'daybook.json'
export const NOTES = 'notes'
export const TRASH = 'trash'
export const STRUCTURES = 'structures'
export const FILES = 'files'

/** Device names, which Windows reserves, and names that programs would parse as options. */
const UNFIT = /^(?:-|(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$|clock\$) *(?:\.|$))/i

/** The name of a file or folder, with a prefix if it would not be valid everywhere. */
export const fitName = (name: string): string => (UNFIT.test(name) ? `_${name}` : name)

/** File systems allow names of 255 bytes; a number and an extension are appended. */
const MAX_CHARACTERS = 80
const MAX_BYTES = 200

/** The title as a file name that is valid on every operating system. */
export function fileNameOf(title: string): string {
  const allowed = normalized(title, 'NFC').replace(/[\p{C}\\/:*?"<>|]/gu, '-')
  const name = truncated(allowed).replace(/^[.\s]+|(?<![.\s])[.\s]+$/g, '')
  return name === '' ? 'untitled' : fitName(name)
}

function truncated(text: string): string {
  const characters = [...text].slice(0, MAX_CHARACTERS)
  while (Buffer.byteLength(characters.join('')) > MAX_BYTES) characters.pop()
  return characters.join('')
}

/** A longer extension, or one with other characters, counts as part of the name. */
const EXTENSION = /\.\w{1,16}$/

/** Splits a file name into the arguments of `FileNames.take`. */
export function splitExtension(fileName: string): [name: string, extension: string] {
  const at = fileName.search(EXTENSION)
  return at < 1 ? [fileName, ''] : [fileName.slice(0, at), fileName.slice(at)]
}

/** Assigns unique file names within a folder, also for file systems that ignore case. */
export class FileNames {
  readonly #taken = new Set<string>()
  /** The last number of each name, because thousands of notes may have one title. */
  readonly #numbers = new Map<string, number>()

  take(title: string, extension: string): string {
    const name = fileNameOf(title)
    for (let number = (this.#numbers.get(name) ?? 0) + 1; ; number++) {
      const numbered = number === 1 ? name : `${name} (${number})`
      // Some file systems treat `ß` and `ss` as equal.
      const key = fold(normalized(numbered, 'NFKC').toUpperCase())
      if (this.#taken.has(key)) continue
      this.#taken.add(key)
      this.#numbers.set(name, number)
      return `${numbered}${extension}`
    }
  }
}
