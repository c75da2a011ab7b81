import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../lib/sha256.ts'
import { refused } from '../../refusal.ts'
import { parseSimpleYaml } from '../simple-yaml.ts'
import type { FolderFile } from './plan/folder-files.ts'
import { decodeNote, type NoteText, readNote, refuseLongFile, type VaultNote } from './plan/note.ts'

/** Refuses a file that is too large for a note or is not text. */
function readNoteText(folder: string, file: FolderFile): NoteText {
  refuseLongFile(file)
  const content = readFileSync(join(folder, file.path))
  return { file, text: decodeNote(content, file), digest: sha256(content) }
}

/** Reads everything but the body of a note. */
export const readNoteFile = (now: number, folder: string, file: FolderFile): VaultNote =>
  readNote(readNoteText(folder, file), now, parseSimpleYaml)

/** Reads the body of a note again. */
export function readBody(folder: string, note: VaultNote): string {
  const { file, bodyStart } = note
  const { text, digest } = readNoteText(folder, file)
  if (digest === note.digest) return text.slice(bodyStart)
  throw refused(`${file.path} was changed while it was imported; import it again.`)
}
