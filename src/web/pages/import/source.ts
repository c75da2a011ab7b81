import { LOGSEQ_SETTINGS } from '../../../transfer/vault/plan/sources/logseq.ts'
import { recognizedSource } from '../../../transfer/vault/plan/sources/recognize.ts'
import { type Source, sourceNamed } from '../../../transfer/vault/plan/sources/source.ts'
import type { SelectedFile, SelectedFolder } from './folder.ts'

const SAMPLES = 20
const SAMPLE_BYTES = 4_096

/** The text of a file, or its beginning; empty if it cannot be read. */
async function textOf(file: SelectedFile | undefined, bytes?: number): Promise<string> {
  try {
    return (await (await file?.read())?.slice(0, bytes).text()) ?? ''
  } catch {
    return ''
  }
}

/** The rules of the program that wrote a folder, by its files. */
export async function sourceOf({ notes, otherFiles }: SelectedFolder): Promise<Source> {
  const beginnings = new Map<string, string>()
  for (const file of notes.slice(0, SAMPLES)) beginnings.set(file.path, await textOf(file, SAMPLE_BYTES))
  const paths = [...notes, ...otherFiles].map(({ path }) => path)
  const name = recognizedSource(paths, (path) => beginnings.get(path) ?? '')
  return sourceNamed(name, await textOf(otherFiles.find(({ path }) => path === LOGSEQ_SETTINGS)))
}

/** The folder without the files of the program itself. */
export function withoutProgramFiles(folder: SelectedFolder, source: Source): SelectedFolder {
  const skipped = [...folder.skipped]
  const isKept = ({ path }: SelectedFile) => {
    const what = source.skipReason(path)
    if (what !== undefined) skipped.push({ place: path, what })
    return what === undefined
  }
  const [notes, otherFiles] = [folder.notes.filter(isKept), folder.otherFiles.filter(isKept)]
  return { ...folder, notes, otherFiles, skipped }
}
