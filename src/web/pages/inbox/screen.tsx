import { useState } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { Empty, Pane, QueryResult } from '../../components/pane.tsx'
import { Time } from '../../components/time.tsx'
import { commentAddress } from '../../data/addresses.ts'
import { markRead, useInbox } from '../../data/comments.ts'
import { addStyles } from '../../styles/add-styles.ts'
import styles from '../../styles/comments.css' with { type: 'text' }
import { CommentText } from '../comments/thread.tsx'

addStyles(styles)

type Items = NonNullable<ReturnType<typeof useInbox>['data']>['items']

/** Comments that mention the user, and replies in the user's threads, newest first. */
export function Main() {
  const [pages, setPages] = useState(1)
  const query = useInbox(pages)
  const readAll = useAction(() => markRead())
  return (
    <main id="main" class="inbox-screen" data-show="content">
      <h1 class="visually-hidden">Inbox</h1>
      <Pane kind="content" label="Inbox">
        <header class="bar">
          <h2>Inbox</h2>
          <span class="grow" />
          {query.data !== undefined && query.data.unread > 0 && (
            <Button disabled={readAll.isRunning.value} onClick={() => void readAll.run()}>
              Mark all as read
            </Button>
          )}
        </header>
        {readAll.refusal.value !== undefined && <ErrorText>{readAll.refusal.value}</ErrorText>}
        <QueryResult query={query}>
          {({ items, has_more }) => (
            <>
              {items.length === 0 && (
                <Empty>
                  <p>
                    Nothing here yet. Comments that mention you with @, and replies in your threads, appear
                    here.
                  </p>
                </Empty>
              )}
              <InboxItems items={items} />
              {has_more && (
                <p class="list-end">
                  <Button disabled={query.isFetching} onClick={() => setPages(pages + 1)}>
                    Show older
                  </Button>
                </p>
              )}
            </>
          )}
        </QueryResult>
      </Pane>
    </main>
  )
}

const InboxItems = ({ items }: { items: Items }) => (
  <ol class="ledger">
    {items.map(({ comment, reason, title, read_at }) => (
      <li key={comment.id} class={read_at === null ? 'unread' : undefined}>
        <Time at={comment.created_at} />
        <div class="item">
          <p>
            {read_at === null && <span class="visually-hidden">Unread: </span>}
            <strong>{comment.author.name}</strong> {reason === 'mention' ? 'mentioned you on' : 'replied on'}{' '}
            <a
              href={commentAddress(comment)}
              onClick={() => void markRead([comment.id]).catch(() => undefined)}
            >
              {title ?? 'a row'}
            </a>
          </p>
          <CommentText comment={comment} />
        </div>
      </li>
    ))}
  </ol>
)
