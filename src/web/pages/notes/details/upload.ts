import { useState } from 'preact/hooks'
import type { components } from '../../../data/api-types.d.ts'
import { invalidate } from '../../../data/cache.ts'
import { request } from '../../../data/request.ts'
import { mayWrite } from '../../../data/session.ts'

type StoredFile = components['schemas']['File']

async function upload(note: string, file: File): Promise<StoredFile> {
  const query = new URLSearchParams({ file_name: file.name, note_id: note })
  const { file: stored } = await request<{ file: StoredFile }>('POST', `/app/api/files?${query}`, {
    body: file,
  })
  return stored
}

/** Characters that would end the label of a link. */
const asLabel = (name: string) => name.replace(/[[\]|\r\n]/g, ' ')

const linkTo = ({ id, file_name, mime_type }: StoredFile) =>
  `${mime_type.startsWith('image/') ? '!' : ''}[[file:${id}|${asLabel(file_name)}]]`

/** Stores files with a note, one after the other, and writes a link to each where it was put. */
export function useUpload(note: string) {
  const [refusal, setRefusal] = useState<string>()
  const [waiting, setWaiting] = useState(0)
  const take = async (files: readonly File[], insert?: (text: string) => void) => {
    if (!mayWrite.peek()) return
    setRefusal(undefined)
    for (const [index, file] of files.entries()) {
      setWaiting(files.length - index)
      try {
        const stored = await upload(note, file)
        insert?.(`${linkTo(stored)}\n`)
      } catch (error) {
        setRefusal(`${file.name}: ${(error as Error).message}`)
      }
    }
    setWaiting(0)
    void invalidate(new Set(['file']))
  }
  return { refusal, waiting, take }
}
