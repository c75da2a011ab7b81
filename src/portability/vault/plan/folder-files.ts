/** A file of the folder that is imported. */
export interface FolderFile {
  /** Relative to the folder, with slashes, as the file system spells it. */
  readonly path: string
  readonly bytes: number
  readonly modifiedAt: number
}

const NOTE_EXTENSION = /\.(?:md|markdown)$/i

/** Whether a file becomes a note; every other one is stored as a file. */
export const isNoteFile = ({ path }: Pick<FolderFile, 'path'>): boolean => NOTE_EXTENSION.test(path)

/** The path of a note without its file extension. */
export const withoutExtension = (path: string): string => path.replace(NOTE_EXTENSION, '')

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Why a file is left out of which an earlier import made something. */
export const DELETED = 'what was imported from it has been deleted; rename the file to import it again.'

/** Why a name is left out: folders and files of programs, such as `.obsidian`, `.trash` and `.git`. */
export function skipReason(name: string): string | undefined {
  if (name.startsWith('.')) return 'its name begins with a dot.'
  return name === 'node_modules' ? 'it holds the packages of a program.' : undefined
}
