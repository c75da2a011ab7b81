import { type Remark, type SelectedFile, type SelectedFolder, sortFiles, UNREADABLE } from './folder.ts'

const selectedFile = (path: string, file: File): SelectedFile => ({
  path,
  bytes: file.size,
  modifiedAt: file.lastModified,
  read: async () => file,
})

/** The files of a folder input. */
export function filesOfInput(list: readonly File[]): SelectedFolder {
  const [name = 'folder'] = list[0]?.webkitRelativePath.split('/') ?? []
  return sortFiles(
    name,
    list.map((file) =>
      selectedFile(file.webkitRelativePath.split('/').slice(1).join('/') || file.name, file),
    ),
  )
}

/** All files of a dropped folder and its subfolders. */
export async function filesOfEntry(folder: FileSystemDirectoryEntry): Promise<SelectedFolder> {
  const files: SelectedFile[] = []
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
        files.push(selectedFile(path, file))
      }
    } catch {
      unreadable.push({ place: path, what: UNREADABLE })
    }
  }
  await visit(folder, '')
  return sortFiles(folder.name, files, unreadable)
}

/** Reads all entries of a folder, which browsers return in batches of up to 100. */
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
