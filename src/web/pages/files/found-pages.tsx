import { useState } from 'preact/hooks'
import { Button, ErrorText } from '../../components/form.tsx'
import { Empty, Loading } from '../../components/pane.tsx'
import { Snippet } from '../../components/snippet.tsx'
import { useFoundPages } from '../../data/files.ts'
import { address } from '../../router.ts'

const PAGE = 50
const MAX_RESULTS = 200

/** Matches the last word as a prefix, because it may still be incomplete. */
const asPrefix = (q: string): string => (/[\p{L}\p{N}]$/u.test(q) && !q.includes('"') ? `${q}*` : q.trim())

/** The pages that match a search, best first. */
export function FoundPages({ q, current }: { q: string; current: string | undefined }) {
  const [limit, setLimit] = useState(PAGE)
  const { data, error } = useFoundPages(asPrefix(q), limit)
  if (error)
    return (
      <div class="list-end">
        <ErrorText>{error.message}</ErrorText>
      </div>
    )
  if (data === undefined) return <Loading label="Searching…" />
  const { results, total, has_more } = data
  if (results.length === 0)
    return (
      <Empty>
        <p>No page or name contains all these words. Try fewer or shorter words.</p>
      </Empty>
    )
  return (
    <>
      <ul class="ledger scroll">
        {results.map(({ file, page, snippet }) => (
          <li key={`${file.id} ${page}`} class={file.id === current ? 'chosen' : undefined}>
            <span class="when">{page === 0 ? 'name' : `p. ${page}`}</span>
            <a
              class="item"
              href={address(['files', file.id], { q, page: page === 0 ? undefined : String(page) })}
            >
              <span class="item-title">
                <span class="cut">{file.file_name}</span>
              </span>
              <Snippet text={snippet} />
            </a>
          </li>
        ))}
      </ul>
      <p class="foot">
        <span role="status">{`${results.length} of ${total} pages`}</span>
        {has_more && limit < MAX_RESULTS && (
          <Button kind="quiet" onClick={() => setLimit(MAX_RESULTS)}>
            Show more
          </Button>
        )}
      </p>
    </>
  )
}
