import { useComputed } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { lazy } from '../../components/lazy.tsx'
import { Failed, Loading } from '../../components/pane.tsx'
import { Snippet } from '../../components/snippet.tsx'
import { Time } from '../../components/time.tsx'
import { useVirtual } from '../../components/virtual.ts'
import { ownDocuments } from '../../data/note-documents.ts'
import { mayWrite } from '../../data/session.ts'
import { navigate } from '../../router.ts'
import { useListKeys } from './keys.ts'
import { type NoteQuery, PAGE_SIZE, type Row, usePages } from './list-data.ts'
import { ListHead, Trash } from './list-head.tsx'
import { list, listAddress, NEW, noteAddress, noteId, searchText, sort } from './place.ts'

const ROW_PX = 97
const number = new Intl.NumberFormat()

/** Opens an empty sheet. */
function startNote(): void {
  navigate(noteAddress(NEW))
  document.querySelector<HTMLElement>('#note .title-field')?.focus()
}

/** While one types, the last result stays until the next one is there. */
function useShownQuery(asked: NoteQuery): NoteQuery {
  const first = usePages(asked, [0])
  const shown = useRef(asked)
  const isOtherList = JSON.stringify(asked.list) !== JSON.stringify(shown.current.list)
  if (isOtherList || first.total !== undefined || first.error) shown.current = asked
  return shown.current
}

/** The list of notes; it scrolls through any number, of which those in sight are read. */
export function ListPane() {
  const noteQuery = useShownQuery({
    list: list.value,
    search: list.value.kind === 'trash' ? '' : searchText.value,
    sort: sort.value,
  })
  const pane = useRef<HTMLElement>(null)
  const key = JSON.stringify(noteQuery)
  useEffect(() => pane.current?.scrollTo(0, 0), [key])
  return (
    <section class="pane list" id="list" aria-labelledby="list-h" ref={pane}>
      <ListHead onCreate={startNote} />
      <Unsettled />
      <Rows key={key} noteQuery={noteQuery} scroller={() => pane.current} onCreate={startNote} />
      <p class="foot keys">
        <span>
          <kbd>J</kbd> <kbd>K</kbd> move
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
        {list.value.kind !== 'trash' && (
          <span>
            <kbd>/</kbd> search
          </span>
        )}
        {mayWrite.value && (
          <span>
            <kbd>N</kbd> new
          </span>
        )}
      </p>
    </section>
  )
}

/** Notes with something that the person has to decide before it can be saved. */
function Unsettled() {
  const waiting = useComputed(() =>
    ownDocuments().filter(
      ({ id, queue }) => id !== noteId.value && ['conflict', 'refused'].includes(queue.state.value.kind),
    ),
  )
  return waiting.value.length === 0 ? null : <UnsettledNotes documents={waiting.value} />
}

interface RowsProps {
  readonly noteQuery: NoteQuery
  readonly scroller: () => HTMLElement | null
  readonly onCreate: () => void
}

function Rows({ noteQuery, scroller, onCreate }: RowsProps) {
  const items = useRef<HTMLOListElement>(null)
  const first = usePages(noteQuery, [0])
  const rows = useVirtual({
    count: first.total ?? 0,
    estimate: ROW_PX,
    scroller,
    margin: items.current?.offsetTop ?? 0,
  })
  const inSight = rows.getVirtualItems()
  const indices = [...new Set(inSight.map(({ index }) => Math.floor(index / PAGE_SIZE)))]
  const pages = usePages(noteQuery, indices)
  useListKeys({ rows, total: first.total ?? 0, onCreate })
  if (first.total === undefined) return first.error ? <Failed error={first.error} /> : <Loading />
  if (first.total === 0) return <Nothing noteQuery={noteQuery} onCreate={onCreate} />
  const margin = items.current?.offsetTop ?? 0
  const before = (inSight[0]?.start ?? margin) - margin
  const after = rows.getTotalSize() - ((inSight.at(-1)?.end ?? margin) - margin)
  return (
    <>
      {first.error && <Failed error={first.error} />}
      <p class="list-end" role="status">
        {number.format(first.total)} {first.total === 1 ? 'note' : 'notes'}
        {noteQuery.search !== '' && noteQuery.sort === undefined && ', best match first'}
      </p>
      <ol
        class="ledger notes-rows"
        ref={items}
        style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}
      >
        {inSight.map(({ index }) => (
          <ListRow
            key={index}
            index={index}
            total={first.total ?? 0}
            row={pages.find(index)}
            isTrash={noteQuery.list.kind === 'trash'}
            measure={rows.measureElement}
          />
        ))}
      </ol>
    </>
  )
}

const Nothing = lazy(async () => (await import('./list-states.tsx')).Nothing)
const UnsettledNotes = lazy(async () => (await import('./list-states.tsx')).UnsettledNotes)

interface ListRowProps {
  readonly index: number
  readonly total: number
  readonly row: Row | undefined
  readonly isTrash: boolean
  readonly measure: (element: HTMLElement | null) => void
}

function ListRow({ index, total, row, isTrash, measure }: ListRowProps) {
  const isOpen = row !== undefined && row.id === noteId.value
  return (
    <li
      class={isOpen ? 'chosen' : undefined}
      data-index={index}
      ref={measure}
      aria-setsize={total}
      aria-posinset={index + 1}
    >
      {row ? <Time at={row.at} /> : <span class="when" />}
      {row === undefined ? (
        <span class="item">…</span>
      ) : isTrash ? (
        <Trash row={row} />
      ) : (
        <a class="item" href={noteAddress(row.id)} aria-current={isOpen ? 'true' : undefined}>
          <span class="item-title">{row.title}</span>
          {row.snippet ? <Snippet text={row.snippet} /> : row.excerpt && <p class="clamp">{row.excerpt}</p>}
          {row.tags.length > 0 && (
            <span class="meta">
              {row.tags.map((tag) => (
                <span key={tag} class="tag">
                  {tag}
                </span>
              ))}
            </span>
          )}
        </a>
      )}
    </li>
  )
}

/** Leads from the open note back to the list. */
export const BackToList = () => (
  <a class="button quiet icon-only phone" href={listAddress()} aria-label="Back to the list">
    <Icon name="back" />
  </a>
)
