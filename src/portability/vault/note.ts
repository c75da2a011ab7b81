import { join } from 'node:path'
import { keepableJson } from '../../http/body.ts'
import { codePointLength } from '../../lib/text.ts'
import { MAX_CONTENT } from '../../notes/schema.ts'
import { isTooLong } from '../../notes/writing/change.ts'
import { Refusal, refused } from '../../refusal.ts'
import { splitFrontMatter } from '../front-matter.ts'
import { readText } from '../text-file.ts'
import type { Changes } from './changes.ts'
import { type FolderFile, withoutExtension } from './folder.ts'
import { type Matter, sortedMatter } from './front-matter.ts'

/** A note of a folder without its body, which is read when it is written. */
export interface VaultNote extends Omit<Matter, 'title'> {
  readonly file: FolderFile
  readonly title: string
  readonly createdAt: number
  readonly updatedAt: number
  /** Where in the text of the file the body begins, and how long the text is. */
  readonly bodyStart: number
  readonly textLength: number
}

const LONGEST_NAME = 500
/** A file beyond this holds more characters than a note may, in any encoding, whatever its front matter says. */
const MOST_BYTES = 16_777_216

/** A text as a name of at most 500 characters without control characters. */
export function nameOf(text: string): string {
  const plain = text.normalize('NFC').replace(/\p{Cc}+/gu, ' ')
  const name = codePointLength(plain) > LONGEST_NAME ? [...plain].slice(0, LONGEST_NAME).join('') : plain
  return name.trim() === '' ? 'Untitled' : name
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** The name of a file as it is kept. */
export function fileNameOf({ path }: FolderFile, changes: Changes): string {
  const name = nameOf(baseName(path))
  if (name !== baseName(path).normalize('NFC')) changes.note(path, `its name becomes "${name}".`)
  return name
}

/** The text of a note; refuses what cannot be one. */
function readNoteText(folder: string, { path, bytes }: FolderFile): string {
  if (bytes > MOST_BYTES) throw tooLong()
  try {
    return readText(join(folder, path))
  } catch (error) {
    throw error instanceof Refusal ? refused('it is not UTF-8 text; save it as UTF-8.') : error
  }
}

const tooLong = () =>
  refused(`it is longer than ${MAX_CONTENT.toLocaleString('en-US')} characters; make several of it.`)

/** Reads all but the body of a note. `now` bounds what the file system says of its age. */
export function readNote(folder: string, file: FolderFile, now: number, changes: Changes): VaultNote {
  const text = readNoteText(folder, file)
  if (text.includes('\0')) throw refused('it holds a NUL character, which no text may.')
  const { matter: said, body } = splitFrontMatter(text, { asWritten: true })
  if (isTooLong(body)) throw tooLong()
  if (!said && /^---[ \t]*\r?\n/.test(text) && /\n---[ \t]*(?:\r?\n|$)/.test(text))
    changes.note(file.path, 'what it begins with is no map of YAML and stays in the body.')
  const { title, ...matter } = sortedMatter(said ? keepable(said) : {})
  const written = title ?? withoutExtension(baseName(file.path)).normalize('NFC')
  const kept = nameOf(written)
  if (kept !== written) changes.note(file.path, `its title becomes "${kept}".`)
  const place = { bodyStart: text.length - body.length, textLength: text.length }
  return { ...matter, ...agesOf(matter, file, now), ...place, file, title: kept }
}

/** Reads the body of a note that was read before. */
export function readBody(folder: string, { file, bodyStart, textLength }: VaultNote): string {
  const text = readNoteText(folder, file)
  if (text.length === textLength) return text.slice(bodyStart)
  throw refused(`${file.path} was changed while it was imported; import it again.`)
}

/** Front matter as JSON values that can be kept as they are. */
const keepable = (matter: object) =>
  keepableJson(JSON.stringify(matter), 'The front matter') as Record<string, unknown>

/** What the front matter says goes before what the file system says; nothing is changed before it is made. */
function agesOf(matter: Pick<Matter, 'createdAt' | 'updatedAt'>, { changedAt }: FolderFile, now: number) {
  const fileAge = Math.min(Math.max(changedAt, 0), now)
  const updatedAt = matter.updatedAt ?? fileAge
  const createdAt = matter.createdAt ?? Math.min(fileAge, updatedAt)
  return { createdAt, updatedAt: Math.max(createdAt, updatedAt) }
}
