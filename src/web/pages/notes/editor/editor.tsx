import '../../../styles/markdown.ts'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { NotLoaded } from '../../../components/lazy.tsx'
import { Loading } from '../../../components/pane.tsx'
import type { NoteDraft } from '../../../data/note-draft.ts'
import { changeTag } from '../../../data/pending-actions.ts'
import { hash, navigate } from '../../../router.ts'
import { openLinkBeside } from '../beside.ts'
import { isDay } from '../day/day-bar.tsx'
import { useLinks } from '../details/links.tsx'
import { resumeTyping } from '../typing.ts'
import type { createEditor, EditorOptions, NoteEditor } from './code-mirror.ts'
import { goToOffset, headingsOf } from './headings.ts'
import { type CodeMirror, loadEditor, loadedEditor } from './load-editor.ts'
import { linksOfText } from './outgoing.ts'
import { WritingBar } from './writing-bar.tsx'

interface EditorProps extends Pick<EditorOptions, 'onFiles'> {
  readonly id: string
  readonly draft: NoteDraft
  /** Whether the note is the second one on the screen. */
  readonly isBeside: boolean
}

function follow(href: string, isOutside: boolean, isBeside: boolean): void {
  if (isOutside) open(href, '_blank', 'noopener,noreferrer')
  else if (!isBeside || !openLinkBeside(href)) navigate(href)
}

/** Adds a typed tag to the note; if it is refused, it stays plain text. */
function addTag(id: string, draft: NoteDraft, name: string): void {
  changeTag({ id, title: draft.text.peek().title }, name, true).catch(() => {})
}

/** The editor of a note. Every edit goes to the draft of the note; changes of others that the draft adopts appear here. */
export function Editor({ id, draft, isBeside, onFiles }: EditorProps) {
  const container = useRef<HTMLDivElement>(null)
  const editor = useRef<NoteEditor>(undefined)
  const files = useRef(onFiles)
  files.current = onFiles
  const [isLoaded, setLoaded] = useState(false)
  const [isFailed, setFailed] = useState(false)
  // Other effects would wait for the next frame.
  useLayoutEffect(() => {
    let disconnect: (() => void) | undefined
    const stops: (() => void)[] = []
    let isCurrent = true
    const start = ({ createEditor }: CodeMirror) => {
      if (!isCurrent || !container.current) return
      const connected = connect(createEditor, container.current, draft, {
        onFiles: (dropped, insert) => files.current(dropped, insert),
        onFollow: (href, isOutside, isToBeside) => follow(href, isOutside, isBeside || isToBeside),
        onTag: (name) => addTag(id, draft, name),
      })
      editor.current = connected.editor
      disconnect = connected.disconnect
      setLoaded(true)
      const { title } = draft.text.peek()
      if (isDay(title))
        import('./hours.ts').then(
          ({ showHours }) => isCurrent && stops.push(showHours(connected.editor, id, title)),
          () => undefined,
        )
      const add = (stop: () => () => void) => isCurrent && stops.push(stop())
      import('./presence-marks.ts').then(
        ({ showPresence }) => add(() => showPresence(connected.editor, id)),
        () => undefined,
      )
      // The comments and the outline on the screen are those of the first note.
      if (isBeside) return
      goToOffset.value = connected.editor.goTo
      import('./comment-marks.ts').then(
        ({ markComments }) => add(() => markComments(connected.editor, id)),
        () => undefined,
      )
      const typing = resumeTyping('content')
      if (typing) connected.editor.typeAt(typing.offset, typing.text)
    }
    const { content } = draft.text.peek()
    const loaded = loadedEditor(content)
    if (loaded) start(loaded)
    else loadEditor(content).then(start, () => setFailed(true))
    return () => {
      isCurrent = false
      if (!isBeside) goToOffset.value = undefined
      for (const stop of stops) stop()
      disconnect?.()
    }
  }, [id, draft, isBeside])
  const target = isBeside ? '' : hash.value
  useEffect(() => {
    if (!isLoaded || target === '') return
    const isTarget = (text: string) => encodeURIComponent(text).toLowerCase() === target.toLowerCase()
    const found = headingsOf(draft.text.peek().content).find(({ text }) => isTarget(text.trim()))
    if (found) editor.current?.goTo(found.offset)
  }, [isLoaded, target, draft])
  const { data } = useLinks(id)
  useEffect(() => {
    if (data && isLoaded) editor.current?.showLinks(linksOfText(draft.base.content, data.outgoing))
  }, [data, isLoaded, draft])
  return (
    <div class="source">
      {isFailed ? <NotLoaded /> : !isLoaded && <Loading />}
      <div ref={container} />
      {isLoaded && <WritingBar run={(command) => editor.current?.run(command)} />}
    </div>
  )
}

/** Connects a new editor to the draft of a note until `disconnect` is called. */
function connect(
  create: typeof createEditor,
  parent: HTMLElement,
  draft: NoteDraft,
  handlers: Pick<EditorOptions, 'onFiles' | 'onFollow' | 'onTag'>,
) {
  let known = draft.text.peek().content
  const onEdit = () => {
    known = editor.text()
    draft.edit({ content: known })
  }
  const editor = create(parent, { text: known, onEdit, ...handlers })
  const stop = draft.text.subscribe(({ content }) => {
    if (content !== known) editor.show(content)
    known = content
  })
  const disconnect = () => {
    stop()
    editor.destroy()
  }
  return { editor, disconnect }
}
