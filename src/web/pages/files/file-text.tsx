import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/form.tsx'
import { Loading, QueryError } from '../../components/pane.tsx'
import { type FileWithOutline, useFileText } from '../../data/files.ts'
import { address, search } from '../../router.ts'

/** The text of a file, from the page in the address on; further pages load on request. */
export function FileText({ file: { id, status, pages } }: { file: FileWithOutline }) {
  const named = Number(search.value.get('page') ?? 1)
  const last = pages ?? 0
  if (status === 'processing') return <Loading label="Reading the text…" />
  if (status === 'failed' || last === 0) return null
  const first = Number.isInteger(named) && named >= 1 && named <= last ? named : 1
  return (
    <section class="section text">
      <h2>Text</h2>
      {first > 1 && (
        <p>
          <a href={address(['files', id], { q: search.value.get('q') ?? undefined })}>From page 1</a>
        </p>
      )}
      <Chunks key={first} id={id} first={first === last ? `${last}` : `${first}-${last}`} />
    </section>
  )
}

function Chunks({ id, first }: { id: string; first: string }) {
  const [chunks, setChunks] = useState([first])
  const top = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (search.peek().has('page')) top.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <div ref={top}>
      {chunks.map((pages, index) => (
        <Chunk
          key={pages}
          id={id}
          pages={pages}
          {...(index === chunks.length - 1 && { onMore: (next: string) => setChunks([...chunks, next]) })}
        />
      ))}
    </div>
  )
}

interface ChunkProps {
  readonly id: string
  readonly pages: string
  /** Loads the next chunk; only the last chunk has it. */
  readonly onMore?: (next: string) => void
}

/** The line at the beginning of each page. */
const PAGE_LINE = /^=== page (\d+) ===$/m

function Chunk({ id, pages, onMore }: ChunkProps) {
  const { data, error } = useFileText(id, pages)
  if (error) return <QueryError error={error} />
  if (data === undefined) return <Loading />
  const [, ...parts] = data.text.split(PAGE_LINE)
  const { next_chunk } = data
  const sections = parts.flatMap((number, index) =>
    index % 2 === 0 ? [{ number, text: (parts[index + 1] ?? '').trim() }] : [],
  )
  return (
    <>
      {sections.map(({ number, text }) => (
        <article key={number} aria-label={`Page ${number}`}>
          <h3>Page {number}</h3>
          <p class="page-text">{text === '' ? <span class="dim">no text</span> : text}</p>
        </article>
      ))}
      {onMore && next_chunk !== null && (
        <p>
          <Button onClick={() => onMore(next_chunk)}>Show more</Button> <small>pages {next_chunk}</small>
        </p>
      )}
    </>
  )
}
