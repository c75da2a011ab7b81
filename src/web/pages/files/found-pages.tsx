import { useState } from 'preact/hooks'
import { Button, ErrorText } from '../../components/form.tsx'
import { Empty, Loading } from '../../components/pane.tsx'
import { Snippet } from '../../components/snippet.tsx'
import { useFoundPages } from '../../data/files.ts'
import { address } from '../../router.ts'

const PAGE = 50
const LONGEST = 200

/** As one types, the last word is the beginning of one. */
const asPrefix = (q: string): string => (/[\p{L}\p{N}]$/u.test(q) && !q.includes('"') ? `${q}*` : q.trim())

/** The pages on which the words are, the best first. */
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
        <p>Nothing matches on one page, nor in a name. Fewer or shorter words find more.</p>
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
        {has_more && limit < LONGEST && (
          <Button kind="quiet" onClick={() => setLimit(LONGEST)}>
            Show more
          </Button>
        )}
      </p>
    </>
  )
}
