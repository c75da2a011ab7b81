import '../../../styles/markdown.ts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { NotLoaded } from '../../../components/lazy.tsx'
import { Loading } from '../../../components/pane.tsx'
import { api } from '../../../data/api.ts'
import type { SaveQueue } from '../../../data/save-queue.ts'
import { hash, navigate } from '../../../router.ts'
import { useLinks } from '../details/links.tsx'
import { takeTyping } from '../typing.ts'
import type { createEditor, EditorOptions } from './code-mirror.ts'
import { linksOfText } from './outgoing.ts'
import { goToPlace, headingsOf } from './places.ts'
import { WritingBar } from './writing-bar.tsx'

interface EditorProps extends Pick<EditorOptions, 'onFiles'> {
  readonly id: string
  readonly queue: SaveQueue
}

function follow(href: string, isOutside: boolean): void {
  if (isOutside) open(href, '_blank', 'noopener,noreferrer')
  else navigate(href)
}

/** A tag that cannot be put on the note stays text. */
function addTag(id: string, name: string): void {
  void api.post('/v1/notes/{id}/tags', { params: { id }, body: { tags: [name] } }).catch(() => {})
}

/**
 * The text of a note; what is typed goes to its queue with each key, and what the queue took over from elsewhere
 * appears here.
 */
export function Editor({ id, queue, onFiles }: EditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const editor = useRef<ReturnType<typeof createEditor>>(undefined)
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
        const connected = connect(codeMirror.createEditor, place.current, queue, {
          onFiles: (given, insert) => files.current(given, insert),
          onFollow: follow,
          onTag: (name) => addTag(id, name),
        })
        editor.current = connected.editor
        goToPlace.value = connected.editor.goTo
        disconnect = connected.disconnect
        setLoaded(true)
        const typing = takeTyping('content')
        if (typing) connected.editor.typeAt(typing.at, typing.text)
      },
      () => setFailed(true),
    )
    return () => {
      isCurrent = false
      goToPlace.value = undefined
      disconnect?.()
    }
  }, [id, queue])
  const wanted = hash.value
  useEffect(() => {
    if (!isLoaded || wanted === '') return
    const isWanted = (text: string) => encodeURIComponent(text).toLowerCase() === wanted.toLowerCase()
    const found = headingsOf(queue.text.peek().content).find(({ text }) => isWanted(text.trim()))
    if (found) editor.current?.goTo(found.at)
  }, [isLoaded, wanted, queue])
  const { data } = useLinks(id)
  useEffect(() => {
    if (data && isLoaded) editor.current?.showLinks(linksOfText(queue.base.content, data.outgoing))
  }, [data, isLoaded, queue])
  return (
    <div class="source">
      {isFailed ? <NotLoaded /> : !isLoaded && <Loading />}
      <div ref={place} />
      {isLoaded && <WritingBar run={(command) => editor.current?.run(command)} />}
    </div>
  )
}

/** Shows the text of a queue in a new editor, until `disconnect` is called. */
function connect(
  create: typeof createEditor,
  parent: HTMLElement,
  queue: SaveQueue,
  handlers: Pick<EditorOptions, 'onFiles' | 'onFollow' | 'onTag'>,
) {
  let known = queue.text.peek().content
  const onEdit = () => {
    known = editor.text()
    queue.edit({ content: known })
  }
  const editor = create(parent, { text: known, onEdit, ...handlers })
  const stop = queue.text.subscribe(({ content }) => {
    if (content !== known) editor.show(content)
    known = content
  })
  const disconnect = () => {
    stop()
    editor.destroy()
  }
  return { editor, disconnect }
}
