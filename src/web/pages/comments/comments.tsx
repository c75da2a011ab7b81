import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/form.tsx'
import { QueryError } from '../../components/pane.tsx'
import { api } from '../../data/api.ts'
import {
  type Commented,
  markRead,
  openedThread,
  refetchComments,
  selectedPassage,
  type Thread,
  threadsOf,
  useComments,
  useUnreadCount,
} from '../../data/comments.ts'
import { unreachableSince } from '../../data/request.ts'
import { mayWrite } from '../../data/session.ts'
import { search, setParameters } from '../../router.ts'
import { addStyles } from '../../styles/add-styles.ts'
import styles from '../../styles/comments.css' with { type: 'text' }
import { Composer } from './composer.tsx'
import { ThreadView } from './thread.tsx'

addStyles(styles)

interface CommentsProps {
  readonly of: Commented
  /** Shows the passage of a thread; returns undefined for a passage that is no longer in the text. */
  readonly showerOf?: (thread: Thread) => (() => void) | undefined
}

/** The comments of a note or row: its open threads, the field for a new one, and the resolved threads. */
export function Comments({ of, showerOf = () => undefined }: CommentsProps) {
  const { data, error } = useComments(of)
  const element = useRef<HTMLElement>(null)
  const [hasResolved, setResolved] = useState(false)
  const unread = useUnreadCount()
  const isAway = unreachableSince.value !== undefined
  const note = 'note_id' in of ? of.note_id : undefined
  const selected = selectedPassage.value
  const passage = selected !== undefined && selected.note === note ? selected.passage : undefined
  const threads = threadsOf(data ?? [])
  const open = threads.filter(({ first }) => first.resolved_at === null)
  const resolved = threads.filter(({ first }) => first.resolved_at !== null)
  const wanted = search.value.get('comment')
  useEffect(() => {
    const found = data?.find(({ id }) => id === wanted)
    if (!found) return
    openedThread.value = found.thread ?? found.id
    setParameters({ comment: undefined }, { replace: true })
  }, [wanted, data])
  const opened = openedThread.value
  useEffect(() => {
    if (resolved.some(({ first }) => first.id === opened)) setResolved(true)
  }, [opened])
  useEffect(() => {
    if (unread === 0 || !data || data.length === 0) return
    const mark = () => {
      // A note also opens in tabs that nobody looks at.
      if (!document.hidden && element.current?.checkVisibility())
        markRead(data.slice(-200).map(({ id }) => id)).catch(() => undefined)
    }
    mark()
    document.addEventListener('visibilitychange', mark)
    return () => document.removeEventListener('visibilitychange', mark)
  }, [data, unread > 0])
  useEffect(() => {
    if (passage) element.current?.scrollIntoView({ block: 'nearest' })
  }, [passage])
  const discard = () => {
    selectedPassage.value = undefined
  }
  const send = async (text: string) => {
    await api.post('/v1/comments', { body: { ...of, text, ...(passage && { passage }) } })
    // Another passage may have been selected meanwhile.
    if (selectedPassage.peek()?.passage === passage) discard()
    await refetchComments()
  }
  const list = (shown: readonly Thread[]) => (
    <ul class="plain threads">
      {shown.map((thread) => (
        <ThreadView key={thread.first.id} thread={thread} onShow={showerOf(thread)} />
      ))}
    </ul>
  )
  return (
    <section class="section comments" ref={element} aria-label="Comments">
      <h3>Comments {open.length > 0 && <small>{open.length}</small>}</h3>
      {error && !isAway && <QueryError error={error} />}
      {!data && isAway && <p class="dim">Comments need a connection to the server.</p>}
      {list(open)}
      {mayWrite.value && (
        <>
          {passage && <blockquote>{passage.text}</blockquote>}
          <Composer
            subject={passage}
            label={passage ? 'Comment on this passage' : 'Add a comment'}
            action="Comment"
            isFocused={passage !== undefined}
            onCancel={passage && discard}
            send={send}
          />
        </>
      )}
      {data?.length === 0 && !mayWrite.value && <p class="dim">No comments yet.</p>}
      {resolved.length > 0 && (
        <p class="actions">
          <Button kind="quiet" aria-expanded={hasResolved} onClick={() => setResolved(!hasResolved)}>
            {hasResolved ? 'Hide resolved' : `Show resolved (${resolved.length})`}
          </Button>
        </p>
      )}
      {hasResolved && list(resolved)}
    </section>
  )
}
