import { codePointLength, fold } from '../lib/text.ts'

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
const LONGEST = 80

/** A title as the name of a file on every system: without what some system forbids, not too long. */
export function fileNameOf(title: string): string {
  const allowed = title.normalize('NFC').replace(/[\p{C}\\/:*?"<>|]/gu, '-')
  const short = codePointLength(allowed) <= LONGEST ? allowed : [...allowed].slice(0, LONGEST).join('')
  const name = short.replace(/^[.\s]+|[.\s]+$/g, '')
  if (name === '') return 'untitled'
  return RESERVED.test(name) ? `_${name}` : name
}

/** Gives every object of a folder a file name of its own, also where systems ignore case. */
export class FileNames {
  readonly #taken = new Set<string>()

  take(title: string, extension: string): string {
    const name = fileNameOf(title)
    for (let number = 1; ; number++) {
      const numbered = number === 1 ? name : `${name} (${number})`
      const key = fold(numbered).normalize('NFKC')
      if (this.#taken.has(key)) continue
      this.#taken.add(key)
      return `${numbered}${extension}`
    }
  }
}
