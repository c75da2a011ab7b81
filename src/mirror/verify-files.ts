import { wholeWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { findFile, findPageText, readParts } from '../files/store.ts'
import { type Remote, WrongSize } from './remote.ts'
import { unlessGone } from './remote-reading.ts'

interface CopiedFile {
  readonly pk: number
  readonly id: string
  readonly size: number
  readonly status: string
  readonly pages: number | null
}

/** The ids of the files of the copy whose bytes or text are not those of the remote; what is gone there is left out. */
export async function* listDifferingFiles(
  reader: Reader,
  remote: Remote,
  { workspace, hasFiles }: { readonly workspace: number; readonly hasFiles: boolean },
): AsyncGenerator<string> {
  const files = reader.sql.all<CopiedFile>(
    `SELECT pk, id, size, status, pages FROM files
     WHERE workspace = ? AND status IN ('processing', 'ready', 'failed')`,
    workspace,
  )
  for (const file of files) {
    const hasSameBytes = !hasFiles || file.size === 0 || (await compareBytes(reader, remote, file))
    const isSame = hasSameBytes && (await compareText(reader, remote, file))
    if (!isSame && findFile(reader, wholeWorkspace(workspace), file.id)) yield file.id
  }
}

async function compareBytes(reader: Reader, remote: Remote, file: CopiedFile): Promise<boolean> {
  const theirs = await unlessGone(async () => {
    const hash = new Bun.CryptoHasher('sha256')
    try {
      for await (const bytes of remote.fileContent(file)) hash.update(bytes)
    } catch (error) {
      if (error instanceof WrongSize) return 'other bytes'
      throw error
    }
    return hash.digest('hex')
  })
  if (theirs === undefined) return true
  const ours = new Bun.CryptoHasher('sha256')
  for (const part of readParts(reader, file.pk)) ours.update(part)
  return ours.digest('hex') === theirs
}

async function compareText(
  reader: Reader,
  remote: Remote,
  { pk, id, status, pages }: CopiedFile,
): Promise<boolean> {
  if (status !== 'ready' || !pages) return true
  const isSame = await unlessGone(async () => {
    let page = 0
    for await (const text of remote.fileText(id, pages)) {
      page += 1
      if (text !== findPageText(reader, pk, page)) return false
    }
    return page === pages
  })
  return isSame ?? true
}
