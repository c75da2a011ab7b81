import { fetchBytes } from './request.ts'

/** Long enough for every browser to start reading the bytes. */
const REVOKE_MS = 60_000

/** Saves bytes as a file. */
export function saveFile(name: string, bytes: Blob): void {
  const url = URL.createObjectURL(bytes)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_MS)
}

/** Downloads the response of an endpoint as a file. Throws `Refused` or `Unreachable`. */
export const download = async (path: string, name: string): Promise<void> =>
  saveFile(name, await fetchBytes(path))
