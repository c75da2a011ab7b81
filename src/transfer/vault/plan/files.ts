/** A file of the imported folder. */
export interface FolderFile {
  /** Relative to the folder, with slashes, in the spelling of the file system. */
  readonly path: string
  readonly bytes: number
  readonly modifiedAt: number
}

const NOTE_EXTENSION = /\.(?:md|markdown)$/i

/** Whether a file becomes a note; all others are stored as files. */
export const isNoteFile = ({ path }: Pick<FolderFile, 'path'>): boolean => NOTE_EXTENSION.test(path)

/** The path of a note without its file extension. */
export const withoutExtension = (path: string): string => path.replace(NOTE_EXTENSION, '')

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** The reason for skipping a file whose note or file from an earlier import was deleted. */
export const DELETED = 'what was imported from it has been deleted; rename the file to import it again.'

/** The reason for skipping a name: folders and files of programs, such as `.obsidian`, `.trash` and `.git`. */
export function skipReason(name: string): string | undefined {
  if (name.startsWith('.')) return 'its name begins with a dot.'
  return name === 'node_modules' ? 'it holds the packages of a program.' : undefined
}
