import { type ChosenFile, type ChosenFolder, type Remark, sortFiles, UNREADABLE } from './folder.ts'

const chosenFile = (path: string, file: File): ChosenFile => ({
  path,
  bytes: file.size,
  modifiedAt: file.lastModified,
  read: async () => file,
})

/** The files of an input that takes a folder. */
export function filesOfInput(list: readonly File[]): ChosenFolder {
  const [name = 'folder'] = list[0]?.webkitRelativePath.split('/') ?? []
  return sortFiles(
    name,
    list.map((file) => chosenFile(file.webkitRelativePath.split('/').slice(1).join('/') || file.name, file)),
  )
}

/** Every file below a folder that was dropped. */
export async function filesOfEntry(folder: FileSystemDirectoryEntry): Promise<ChosenFolder> {
  const files: ChosenFile[] = []
  const unreadable: Remark[] = []
  const visit = async (entry: FileSystemEntry, path: string): Promise<void> => {
    try {
      if (entry.isDirectory) {
        for (const inner of await entriesOf(entry as FileSystemDirectoryEntry))
          await visit(inner, path === '' ? inner.name : `${path}/${inner.name}`)
      } else {
        const file = await new Promise<File>((resolve, reject) =>
          (entry as FileSystemFileEntry).file(resolve, reject),
        )
        files.push(chosenFile(path, file))
      }
    } catch {
      unreadable.push({ place: path, what: UNREADABLE })
    }
  }
  await visit(folder, '')
  return sortFiles(folder.name, files, unreadable)
}

/** A folder is read in parts of up to 100 entries. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) return all
    all.push(...some)
  }
}
