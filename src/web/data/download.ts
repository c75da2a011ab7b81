import { fetchBytes } from './request.ts'

/** Downloads what an endpoint sends, under a name; throws `Refused` or `Away`. */
export async function download(path: string, fileName: string): Promise<void> {
  const url = URL.createObjectURL(await fetchBytes(path))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_MS)
}

/** The browser has begun to copy the bytes long before. */
const REVOKE_MS = 60_000
