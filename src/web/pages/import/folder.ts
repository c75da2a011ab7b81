import { compareCodePoints } from '../../../lib/text.ts'
import { type FolderFile, isNoteFile, skipReason } from '../../../transfer/vault/plan/files.ts'
import { zippedFiles } from '../../../transfer/vault/plan/zip.ts'
import { MANIFEST } from '../../../transfer/workspace/format.ts'

/** A file of a selected folder, whose bytes are read on demand. */
export interface SelectedFile extends FolderFile {
  read(): Promise<Blob>
}

/** A path in the folder, and a sentence about what happened to it. */
export interface Remark {
  readonly place: string
  readonly what: string
}

/** A selected folder, sorted by path. */
export interface SelectedFolder {
  readonly name: string
  readonly notes: readonly SelectedFile[]
  readonly otherFiles: readonly SelectedFile[]
  readonly skipped: readonly Remark[]
}

/** The skipped part of a path, with the reason. For a skipped folder, its path stands for all its files. */
function skippedPathOf(path: string): Remark | undefined {
  const names = path.split('/')
  for (const [at, name] of names.entries()) {
    const what = skipReason(name)
    if (what !== undefined) return { place: names.slice(0, at + 1).join('/'), what }
  }
  return undefined
}

/** Sorts files into notes, other files and skipped ones. Throws if the folder contains no notes or is an exported workspace. */
export function sortFiles(
  name: string,
  files: readonly SelectedFile[],
  skippedEntries: readonly Remark[] = [],
): SelectedFolder {
  const included = new Map<string, SelectedFile>()
  const skipped = new Map(skippedEntries.map((remark) => [remark.place, remark]))
  for (const file of files) {
    const remark = skippedPathOf(file.path)
    if (remark) skipped.set(remark.place, remark)
    else included.set(file.path, file)
  }
  if (included.has(MANIFEST))
    throw new Error(
      `“${name}” is an exported workspace, not a folder of notes. Import it with the command “daybook import”.`,
    )
  const sorted = [...included.values()].sort((left, right) => compareCodePoints(left.path, right.path))
  const notes = sorted.filter(isNoteFile)
  if (notes.length === 0)
    throw new Error(`“${name}” contains no Markdown files (.md). Choose another folder.`)
  return {
    name,
    notes,
    otherFiles: sorted.filter((file) => !isNoteFile(file)),
    skipped: [...skipped.values()].sort((left, right) => compareCodePoints(left.place, right.place)),
  }
}

export const UNREADABLE = 'it cannot be read; check its permissions.'

/** The bytes of a file. Throws if it can no longer be read. */
export async function bytesOf(file: SelectedFile): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await (await file.read()).arrayBuffer())
  } catch (error) {
    throw error instanceof DOMException ? new Error(UNREADABLE) : error
  }
}

/** The files of a ZIP file. If all are in one folder, their paths are relative to it. */
export async function filesOfZip(zip: File): Promise<SelectedFolder> {
  const { files, skipped } = await zippedFiles(zip)
  return sortFiles(zip.name, files, skipped)
}
