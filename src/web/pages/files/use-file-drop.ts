import { useEffect, useRef, useState } from 'preact/hooks'
import { mayWrite } from '../../data/session.ts'
import { upload } from '../../data/upload.ts'

/** Files that are dropped on an element are uploaded; `isOver` while some are held over it. */
export function useFileDrop() {
  const ref = useRef<HTMLDivElement>(null)
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (!element) return
    const ending = new AbortController()
    const { signal } = ending
    const hasFiles = (event: DragEvent) => mayWrite.peek() && event.dataTransfer?.types.includes('Files')
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    const drop = (event: DragEvent) => {
      setOver(false)
      if (!hasFiles(event)) return
      event.preventDefault()
      upload(event.dataTransfer?.files ?? [])
    }
    element.addEventListener('dragover', over, { signal })
    element.addEventListener('dragleave', () => setOver(false), { signal })
    element.addEventListener('drop', drop, { signal })
    return () => ending.abort()
  }, [])
  return { ref, isOver }
}
