import { useEffect, useRef, useState } from 'preact/hooks'
import { NotLoaded } from '../../../components/lazy.tsx'
import { Loading } from '../../../components/pane.tsx'
import type { SaveQueue } from '../../../data/save-queue.ts'
import type { createEditor, EditorOptions } from './code-mirror.ts'

interface EditorProps extends Pick<EditorOptions, 'onFiles'> {
  readonly queue: SaveQueue
}

/** A text up to this length goes to its queue with each key; to take over a longer one takes noticeable time. */
const AT_ONCE = 50_000
const MOMENT_MS = 250

/** The text of a note; what is typed goes to its queue, and what the queue took over from elsewhere appears here. */
export function Editor({ queue, onFiles }: EditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const files = useRef(onFiles)
  files.current = onFiles
  const [isLoaded, setLoaded] = useState(false)
  const [isFailed, setFailed] = useState(false)
  useEffect(() => {
    let disconnect: (() => void) | undefined
    let isCurrent = true
    import('./code-mirror.ts').then(
      (codeMirror) => {
        if (!isCurrent || !place.current) return
        const onFiles: EditorOptions['onFiles'] = (given, insert) => files.current(given, insert)
        disconnect = connect(codeMirror.createEditor, place.current, queue, onFiles)
        setLoaded(true)
      },
      () => setFailed(true),
    )
    return () => {
      isCurrent = false
      disconnect?.()
    }
  }, [queue])
  return (
    <div class="src">
      {isFailed ? <NotLoaded /> : !isLoaded && <Loading />}
      <div ref={place} />
    </div>
  )
}

/** Shows the text of a queue in a new editor, until the function that is returned is called. */
function connect(
  create: typeof createEditor,
  parent: HTMLElement,
  queue: SaveQueue,
  onFiles: EditorOptions['onFiles'],
): () => void {
  let known = queue.text.peek().content
  let timer: ReturnType<typeof setTimeout> | undefined
  const handOver = () => {
    clearTimeout(timer)
    timer = undefined
    known = editor.text()
    queue.edit({ content: known })
  }
  const onEdit = (length: number) => {
    if (length <= AT_ONCE) handOver()
    else timer ??= setTimeout(handOver, MOMENT_MS)
  }
  const editor = create(parent, { text: known, onEdit, onFiles })
  queue.collect = () => {
    if (timer !== undefined) handOver()
  }
  const stop = queue.text.subscribe(({ content }) => {
    if (content !== known) editor.show(content)
    known = content
  })
  return () => {
    queue.collect()
    queue.collect = () => {}
    stop()
    editor.destroy()
  }
}
