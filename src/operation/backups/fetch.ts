import { copyFile } from 'node:fs/promises'
import { Refusal, refused } from '../../lib/refusal.ts'
import { decodeTo, isEncrypted } from './encoding.ts'
import { summed, sumOf } from './sum.ts'
import type { BackupTarget, LatestBackup } from './target.ts'

export interface FetchOptions {
  /** The new file for the database. */
  readonly file: string
  /** The content of an age identity file, for encrypted backups. */
  readonly identity: string | undefined
  /** Called with the number of bytes read so far. */
  readonly onRead?: (bytes: number) => void
}

const damaged = (target: BackupTarget, name: string, why: string) =>
  refused(`The backup ${name} at ${target.name} is damaged: ${why}. Nothing was restored from it.`)

const OTHER_CONTENT = 'its content is not what was stored'

/** Compares size and hash with `latest.json`; refuses a damaged backup. */
export async function proveBackup(
  target: BackupTarget,
  { name, at, size, sha256 }: LatestBackup,
): Promise<void> {
  const found = await sumOf(target.read({ name, at, size }), size)
  if (found.size !== size || (sha256 !== undefined && found.sha256 !== sha256))
    throw damaged(target, name, OTHER_CONTENT)
}

/**
 * Writes the database in a backup to a new file. Refuses content that differs from the size and the hash, if they are
 * known, and a backup that the identity does not open.
 */
export async function fetchBackup(
  target: BackupTarget,
  backup: LatestBackup,
  { file, identity, onRead = () => {} }: FetchOptions,
): Promise<void> {
  const { name, size, sha256 } = backup
  if (name.endsWith('.db')) return copyFile(`${target.name}/${name}`, file)
  if (isEncrypted(name) && identity === undefined)
    throw refused(
      `The backup ${name} at ${target.name} is encrypted; give --identity with its age identity file.`,
    )
  let read = 0
  const reading = async function* () {
    for await (const chunk of target.read(backup)) {
      read += chunk.length
      onRead(read)
      yield chunk
    }
  }
  const content = summed(reading(), { limit: size })
  try {
    await decodeTo(file, content.chunks, isEncrypted(name) ? identity : undefined)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw damaged(target, name, (error as Error).message)
  }
  const found = content.sum()
  if (found.size !== size || (sha256 !== undefined && found.sha256 !== sha256))
    throw damaged(target, name, OTHER_CONTENT)
}
