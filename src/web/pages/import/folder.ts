import { compareCodePoints } from '../../../lib/text.ts'
import { type FolderFile, isNoteFile, skipReason } from '../../../portability/vault/plan/folder-files.ts'
import { MANIFEST } from '../../../portability/workspace/format.ts'

/** A file of a folder that is imported; its bytes are read when they are needed. */
export interface ChosenFile extends FolderFile {
  read(): Promise<Blob>
}

/** Something of a folder, and a sentence about what became of it. */
export interface Remark {
  readonly place: string
  readonly what: string
}

/** A folder that was chosen, sorted by path. */
export interface ChosenFolder {
  readonly name: string
  readonly notes: readonly ChosenFile[]
  readonly otherFiles: readonly ChosenFile[]
  readonly skipped: readonly Remark[]
}

/** The part of a path that is left out, and why; of a folder only itself is named. */
function skippedPart(path: string): Remark | undefined {
  const names = path.split('/')
  for (const [at, name] of names.entries()) {
    const what = skipReason(name)
    if (what !== undefined) return { place: names.slice(0, at + 1).join('/'), what }
  }
  return undefined
}

/** Sorts files into those that become notes, others, and those that are left out. Refuses what is not a folder of notes. */
export function sortFiles(
  name: string,
  files: readonly ChosenFile[],
  left: readonly Remark[] = [],
): ChosenFolder {
  const kept = new Map<string, ChosenFile>()
  const skipped = new Map(left.map((remark) => [remark.place, remark]))
  for (const file of files) {
    const remark = skippedPart(file.path)
    if (remark) skipped.set(remark.place, remark)
    else kept.set(file.path, file)
  }
  if (kept.has(MANIFEST))
    throw new Error(
      `"${name}" is an exported workspace, not a folder of notes; import it with the command "daybook import".`,
    )
  const sorted = [...kept.values()].sort((left, right) => compareCodePoints(left.path, right.path))
  const notes = sorted.filter(isNoteFile)
  if (notes.length === 0)
    throw new Error(`"${name}" holds no Markdown file (.md); choose a folder that holds some.`)
  return {
    name,
    notes,
    otherFiles: sorted.filter((file) => !isNoteFile(file)),
    skipped: [...skipped.values()].sort((left, right) => compareCodePoints(left.place, right.place)),
  }
}

export const UNREADABLE = 'it cannot be read; check its permissions.'

/** The bytes of a file; refuses one that can no longer be read. */
export async function bytesOf(file: ChosenFile): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await (await file.read()).arrayBuffer())
  } catch (error) {
    throw error instanceof DOMException ? new Error(UNREADABLE) : error
  }
}
