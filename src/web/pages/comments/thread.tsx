import { useEffect, useRef, useState } from 'preact/hooks'
import { confirm } from '../../components/confirm.tsx'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { Time } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { type Comment, openedThread, refetchComments, type Thread } from '../../data/comments.ts'
import { counted } from '../../data/formats.ts'
import { isOwner, mayWrite, session } from '../../data/session.ts'
import { Composer } from './composer.tsx'

/** The text of a comment, with its mentions marked. */
export function CommentText({ comment: { text, mentions } }: { comment: Comment }) {
  const names = mentions.map(({ name }) => `@${name}`).sort((one, other) => other.length - one.length)
  const parts: (string | { readonly name: string })[] = []
  let plain = ''
  for (let at = 0; at < text.length; ) {
    const name = names.find((one) => text.slice(at, at + one.length).toLowerCase() === one.toLowerCase())
    if (name) {
      parts.push(plain, { name: text.slice(at, at + name.length) })
      plain = ''
    } else plain += text.charAt(at)
    at += name?.length ?? 1
  }
  parts.push(plain)
  return (
    <p class="verbatim">
      {parts.map((part) => (typeof part === 'string' ? part : <b class="mention">{part.name}</b>))}
    </p>
  )
}

/** Characters of a comment that the question before its deletion quotes. */
const QUOTED = 200

interface ThreadViewProps {
  readonly thread: Thread
  /** Shows the passage in the text; undefined if it is gone or no text is open. */
  readonly onShow?: (() => void) | undefined
}

/** A thread: its passage, its comments, and the field for a reply. */
export function ThreadView({ thread: { first, replies }, onShow }: ThreadViewProps) {
  const element = useRef<HTMLLIElement>(null)
  const isOpened = openedThread.value === first.id
  const isResolved = first.resolved_at !== null
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (!isOpened) return
    element.current?.scrollIntoView({ block: 'nearest' })
    element.current?.focus()
    openedThread.value = undefined
    setShown(true)
  }, [isOpened])
  const resolve = useAction(async () => {
    await api.patch('/v1/comments/{id}', { params: { id: first.id }, body: { resolved: !isResolved } })
    await refetchComments()
  })
  const isFolded = isResolved && !isShown
  return (
    <li class="thread" ref={element} tabIndex={-1} aria-label={`Thread by ${first.author.name}`}>
      {first.passage && (
        <blockquote>
          {onShow ? (
            <button type="button" class="link" onClick={onShow}>
              {first.passage.text}
            </button>
          ) : (
            <>
              {first.passage.text} <small class="dim">no longer in the text</small>
            </>
          )}
        </blockquote>
      )}
      <OneComment comment={first} replies={replies.length} />
      {isFolded ? (
        replies.length > 0 && (
          <p class="actions">
            <Button kind="quiet" onClick={() => setShown(true)}>
              Show {counted(replies.length, 'reply', 'replies')}
            </Button>
          </p>
        )
      ) : (
        <>
          {replies.length > 0 && (
            <ul class="plain">
              {replies.map((reply) => (
                <li key={reply.id}>
                  <OneComment comment={reply} />
                </li>
              ))}
            </ul>
          )}
          {mayWrite.value && (
            <Composer
              label="Reply"
              action="Reply"
              send={async (text) => {
                await api.post('/v1/comments', { body: { thread: first.id, text } })
                await refetchComments()
              }}
            />
          )}
        </>
      )}
      {mayWrite.value && (
        <p class="actions">
          <Button kind="quiet" disabled={resolve.isRunning.value} onClick={() => void resolve.run()}>
            {!isResolved && <Icon name="check" />}
            {isResolved ? 'Reopen' : 'Resolve'}
          </Button>
          {first.resolved_by && <small class="dim">Resolved by {first.resolved_by.name}</small>}
        </p>
      )}
      {resolve.refusal.value !== undefined && <ErrorText>{resolve.refusal.value}</ErrorText>}
    </li>
  )
}

const askToDelete = ({ id, text, author }: Comment, replies: number): Promise<boolean> =>
  confirm({
    title: `Delete the comment of ${author.name}`,
    consequence: (
      <>
        <q class="verbatim">{text.length > QUOTED ? `${text.slice(0, QUOTED)}…` : text}</q>
        {replies > 0 && ` ${counted(replies, 'reply is', 'replies are')} deleted with it.`}
      </>
    ),
    undo: 'You can undo it under Changes.',
    action: 'Delete comment',
    act: async () => {
      await api.delete('/v1/comments/{id}', { params: { id } })
      await refetchComments()
    },
  })

function OneComment({ comment, replies = 0 }: { comment: Comment; replies?: number }) {
  const [isEditing, setEditing] = useState(false)
  const { id, author, text, created_at } = comment
  const isOwn = author.id === session.value?.user.id
  return (
    <article class="comment">
      <header>
        <strong class="cut">{author.name}</strong>
        <Time at={created_at} class="dim" />
        <span class="grow" />
        {mayWrite.value && isOwn && !isEditing && (
          <Button
            kind="quiet"
            aria-label={`Edit comment: ${text.slice(0, 40)}`}
            onClick={() => setEditing(true)}
          >
            Edit
          </Button>
        )}
        {mayWrite.value && (isOwn || isOwner.value) && (
          <Button
            kind="quiet"
            aria-label={`Delete comment: ${text.slice(0, 40)}`}
            onClick={() => void askToDelete(comment, replies)}
          >
            Delete
          </Button>
        )}
      </header>
      {isEditing ? (
        <Composer
          label="Comment"
          text={text}
          action="Save"
          isFocused
          onCancel={() => setEditing(false)}
          send={async (next) => {
            await api.patch('/v1/comments/{id}', { params: { id }, body: { text: next } })
            await refetchComments()
            setEditing(false)
          }}
        />
      ) : (
        <CommentText comment={comment} />
      )}
    </article>
  )
}
