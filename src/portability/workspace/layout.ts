import { fold } from '../../lib/text.ts'

/*
 * A workspace as plain files:
 *
 *   daybook.json          the version of this format, and how much of everything there is
 *   tags.json, …          one array of objects each, as the API takes them, with id and timestamps
 *   notes/<title>.md      front matter and body; trash/<title>.md for what is in the trash
 *   structures/<name>.json and .jsonl   the definition, and a row a line
 *   files.json, files/<name>            what is known of each file, and the originals
 *
 * Revisions, deliveries, keys and people stay behind, and so do the secrets of webhooks.
 */

export const FORMAT = 1
export const MANIFEST = 'daybook.json'
export const NOTES = 'notes'
export const TRASH = 'trash'
export const STRUCTURES = 'structures'
export const FILES = 'files'

/** Names of devices that Windows gives to no file. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i
/** Systems give a name 255 bytes at most, and a number and an extension may follow. */
const LONGEST = 80
const MOST_BYTES = 200

/** A title as the name of a file on every system: without what some system forbids, not too long. */
export function fileNameOf(title: string): string {
  const allowed = title.normalize('NFC').replace(/[\p{C}\\/:*?"<>|]/gu, '-')
  const name = beginningOf(allowed).replace(/^[.\s]+|[.\s]+$/g, '')
  if (name === '') return 'untitled'
  return RESERVED.test(name) ? `_${name}` : name
}

function beginningOf(text: string): string {
  const characters = [...text].slice(0, LONGEST)
  while (Buffer.byteLength(characters.join('')) > MOST_BYTES) characters.pop()
  return characters.join('')
}

/** What tells the kind of a file; the end of a name that is longer, or of other letters, is none. */
const EXTENSION = /\.\w{1,16}$/

/** The name of a file told apart, as `FileNames` takes it. */
export function withExtension(fileName: string): [name: string, extension: string] {
  const at = fileName.search(EXTENSION)
  return at < 1 ? [fileName, ''] : [fileName.slice(0, at), fileName.slice(at)]
}

/** Gives every object of a folder a file name of its own, also where systems ignore case. */
export class FileNames {
  readonly #taken = new Set<string>()

  take(title: string, extension: string): string {
    const name = fileNameOf(title)
    for (let number = 1; ; number++) {
      const numbered = number === 1 ? name : `${name} (${number})`
      // Some systems take `ß` and `ss` for one.
      const key = fold(numbered.normalize('NFKC').toUpperCase())
      if (this.#taken.has(key)) continue
      this.#taken.add(key)
      return `${numbered}${extension}`
    }
  }
}
