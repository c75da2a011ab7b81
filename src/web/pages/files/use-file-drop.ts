import { useState } from 'preact/hooks'
import { mayWrite } from '../../data/session.ts'
import { upload } from '../../data/upload.ts'

const hasFiles = (event: DragEvent) => mayWrite.peek() && event.dataTransfer?.types.includes('Files')

/**
 * Handlers that upload the files dropped on an element; `isOver` is true while files are dragged over it.
 */
export function useFileDrop() {
  const [isOver, setOver] = useState(false)
  const accept = (event: DragEvent) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    setOver(true)
  }
  const handlers = {
    // Also fires when an element, such as a row of the list, appears below files that are not moving.
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
