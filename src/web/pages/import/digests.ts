import { bytesOf, type SelectedFile, type SelectedFolder } from './folder.ts'

const MAX_NOTES = 1_500
const MAX_FILES = 500
/** Larger files take long to read and tell no more. */
const MAX_BYTES = 1_048_576

export interface FileDigest {
  readonly path: string
  readonly sha256: string
}

/**
 * The digests of enough files to recognize a folder that was imported before. Browsers compute them on https and on
 * this computer only; elsewhere the list is empty.
 */
export async function sampleDigests({ notes, otherFiles }: SelectedFolder, signal: AbortSignal) {
  if (!globalThis.crypto?.subtle) return []
  const small = otherFiles.filter(({ bytes }) => bytes <= MAX_BYTES)
  const digests: FileDigest[] = []
  for (const file of [...notes.slice(0, MAX_NOTES), ...small.slice(0, MAX_FILES)]) {
    signal.throwIfAborted()
    const sha256 = await digestOf(file)
    if (sha256 !== undefined) digests.push({ path: file.path, sha256 })
  }
  return digests
}

/** Undefined for a file that cannot be read, which the import reports. */
async function digestOf(file: SelectedFile): Promise<string | undefined> {
  try {
    return new Uint8Array(await crypto.subtle.digest('SHA-256', await bytesOf(file))).toHex()
  } catch {
    return undefined
  }
}
