import { unzipSync } from 'fflate'
import type { VaultFile } from './vault.ts'

/** The files of a zip file; where all of them are in one folder, their paths begin below it. */
export async function unzipped(zip: File): Promise<VaultFile[]> {
  const bytes = new Uint8Array(await zip.arrayBuffer())
  const entries = unzipSync(bytes)
  const paths = Object.keys(entries).filter((path) => !path.endsWith('/') && !path.startsWith('__MACOSX/'))
  const [top = ''] = paths[0]?.split('/') ?? []
  const isOneFolder = paths.every((path) => path.startsWith(`${top}/`))
  return paths.map((path) => ({
    path: isOneFolder ? path.slice(top.length + 1) : path,
    // What is in a zip file has no time that browsers agree on; its own stands for all of it.
    file: new File([entries[path] as Uint8Array<ArrayBuffer>], path.split('/').at(-1) ?? path, {
      lastModified: zip.lastModified,
    }),
  }))
}
