import { fetchBytes } from './request.ts'

/** The browser has begun to copy the bytes long before. */
const REVOKE_MS = 60_000

/** Hands bytes to the browser as a file. */
export function saveFile(name: string, bytes: Blob): void {
  const url = URL.createObjectURL(bytes)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_MS)
}

/** Downloads what an endpoint sends, under a name; throws `Refused` or `Away`. */
export const download = async (path: string, name: string): Promise<void> =>
  saveFile(name, await fetchBytes(path))
