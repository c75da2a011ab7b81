import { useComputed } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { DayHead } from '../../components/day-head.tsx'
import { lazy } from '../../components/lazy.tsx'
import { Loading, QueryError } from '../../components/pane.tsx'
import { Snippet } from '../../components/snippet.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { useVirtual } from '../../components/virtual.ts'
import { formatNumber } from '../../data/formats.ts'
import { ownDocuments } from '../../data/note-documents.ts'
import { mayWrite } from '../../data/session.ts'
import { navigate } from '../../router.ts'
import { justTrashed } from './just-trashed.ts'
import { focusedIndex, useListKeys } from './keys.ts'
import { type NoteQuery, PAGE_SIZE, type Pages, type Row, usePages } from './list-data.ts'
import { ListHead, Trash } from './list-head.tsx'
import { isPicking, pick, picked, pickedAt, setPicked } from './picks.ts'
import { list, NEW, noteAddress, noteId, searchText, sort } from './place.ts'

const ROW_PX = 97

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
      {justTrashed.value && noteId.value === undefined && <JustTrashed />}
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
  const [stop, setStop] = useState<number>()
  const indices = [...new Set(inSight.map(({ index }) => Math.floor(index / PAGE_SIZE)))]
  const pages = usePages(noteQuery, indices)
  useListKeys({ rows, total: first.total ?? 0, onCreate, find: pages.find })
  if (first.total === undefined) return first.error ? <QueryError error={first.error} /> : <Loading />
  const bar = isPicking.value && <BulkBar noteQuery={noteQuery} total={first.total} />
  if (first.total === 0)
    return (
      <>
        <Nothing noteQuery={noteQuery} onCreate={onCreate} />
        {bar}
      </>
    )
  const margin = items.current?.offsetTop ?? 0
  const before = (inSight[0]?.start ?? margin) - margin
  const after = rows.getTotalSize() - ((inSight.at(-1)?.end ?? margin) - margin)
  return (
    <>
      {first.error && <QueryError error={first.error} />}
      <p class="list-end" role="status">
        {formatNumber(first.total)} {first.total === 1 ? 'note' : 'notes'}
        {noteQuery.search !== '' && noteQuery.sort === undefined && ', best match first'}
        {mayWrite.value && noteQuery.list.kind !== 'trash' && !isPicking.value && (
          <>
            {' · '}
            <button type="button" class="link" onClick={() => setPicked(new Map())}>
              Choose several
            </button>
          </>
        )}
      </p>
      <ol
        onFocusIn={() => setStop(focusedIndex())}
        class={isPicking.value ? 'ledger notes-rows picking' : 'ledger notes-rows'}
        ref={items}
        style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}
      >
        {inSight.map(({ index }) => (
          <ListRow
            key={index}
            index={index}
            total={first.total ?? 0}
            row={pages.find(index)}
            isStop={index === stopIn(inSight, stop, pages)}
            day={isByDay(noteQuery) ? dayAt(pages, index) : undefined}
            pickTo={(isOn) => pickFrom(pages, pickedAt() ?? index, index, isOn)}
            isTrash={noteQuery.list.kind === 'trash'}
            measure={rows.measureElement}
          />
        ))}
      </ol>
      {bar}
    </>
  )
}

/** The row that Tab stops at: the one that had the focus, else the open one, else the first in sight. */
function stopIn(
  inSight: readonly { readonly index: number }[],
  stop: number | undefined,
  pages: Pages,
): number | undefined {
  const found =
    inSight.find(({ index }) => index === stop) ??
    inSight.find(({ index }) => pages.find(index)?.id === noteId.value) ??
    inSight[0]
  return found?.index
}

/** Whether the list is in an order of time. */
const isByDay = ({ list, search, sort }: NoteQuery): boolean =>
  list.kind !== 'view' && (sort === undefined ? search === '' : sort !== 'title')

const dayOf = ({ at }: Row): string => new Date(at).toDateString()

/** The instant of a row with which a day begins. */
function dayAt(pages: Pages, index: number): string | undefined {
  const [row, before] = [pages.find(index), index === 0 ? undefined : pages.find(index - 1)]
  if (!row || (index > 0 && (!before || dayOf(before) === dayOf(row)))) return undefined
  return row.at
}

/** Chooses all notes from one place of the list to another. */
function pickFrom(pages: Pages, from: number, to: number, isOn: boolean): void {
  const [first, last] = [Math.min(from, to), Math.max(from, to)]
  pick(
    Array.from({ length: last - first + 1 }, (_, at) => pages.find(first + at)),
    isOn,
    to,
  )
}

const BulkBar = lazy(async () => (await import('./bulk-bar.tsx')).BulkBar)
const JustTrashed = lazy(async () => (await import('./list-states.tsx')).JustTrashed)
const Nothing = lazy(async () => (await import('./list-states.tsx')).Nothing)
const UnsettledNotes = lazy(async () => (await import('./list-states.tsx')).UnsettledNotes)

interface ListRowProps {
  readonly index: number
  readonly total: number
  readonly row: Row | undefined
  /** Whether Tab stops here; J and K lead to the others. */
  readonly isStop: boolean
  /** The instant of the row where it is the first of a day in a list by time. */
  readonly day: string | undefined
  readonly pickTo: (isOn: boolean) => void
  readonly isTrash: boolean
  readonly measure: (element: HTMLElement | null) => void
}

function ListRow({ index, total, row, isStop, day, pickTo, isTrash, measure }: ListRowProps) {
  const isOpen = row !== undefined && row.id === noteId.value
  const isPicked = row !== undefined && picked.value.has(row.id)
  return (
    <li
      class={isOpen || isPicked ? 'chosen' : undefined}
      data-index={index}
      ref={measure}
      aria-setsize={total}
      aria-posinset={index + 1}
    >
      {day && <DayHead at={day} />}
      {row ? <Time at={row.at} /> : <span class="when" />}
      {row && mayWrite.value && !isTrash && (
        <input
          type="checkbox"
          class="pick"
          tabIndex={isPicking.value && isStop ? 0 : -1}
          aria-label={`Choose ${row.title}`}
          checked={isPicked}
          onClick={({ shiftKey, currentTarget: { checked } }) =>
            shiftKey ? pickTo(checked) : pick([row], checked, index)
          }
        />
      )}
      {row === undefined ? (
        <span class="item">…</span>
      ) : isTrash ? (
        <Trash row={row} />
      ) : (
        <a
          class="item"
          href={noteAddress(row.id)}
          tabIndex={isStop ? 0 : -1}
          aria-current={isOpen ? 'true' : undefined}
        >
          <span class="item-title" dir="auto">
            {row.title}
          </span>
          {row.snippet ? (
            <Snippet text={row.snippet} />
          ) : (
            row.excerpt && (
              <p class="clamp" dir="auto">
                {row.excerpt}
              </p>
            )
          )}
          {row.tags.length > 0 && (
            <span class="meta">
              {row.tags.map((tag) => (
                <Tag key={tag} name={tag} />
              ))}
            </span>
          )}
        </a>
      )}
    </li>
  )
}
