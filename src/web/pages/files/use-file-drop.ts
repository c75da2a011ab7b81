import { useState } from 'preact/hooks'
import { mayWrite } from '../../data/session.ts'
import { upload } from '../../data/upload.ts'

const hasFiles = (event: DragEvent) => mayWrite.peek() && event.dataTransfer?.types.includes('Files')

/**
 * What makes an element upload the files that are dropped on it, from when it is there; `isOver` while some are held
 * over it.
 */
export function useFileDrop() {
  const [isOver, setOver] = useState(false)
  const accept = (event: DragEvent) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    setOver(true)
  }
  const handlers = {
    // Entered is also what appears below files that are held still, such as a row of the list.
    onDragEnter: accept,
    onDragOver: accept,
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false)
      if (!hasFiles(event)) return
      event.preventDefault()
      upload(event.dataTransfer?.files ?? [])
    },
  }
  return { handlers, isOver }
}
