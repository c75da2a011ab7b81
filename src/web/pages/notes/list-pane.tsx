import { useComputed } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { DayHead } from '../../components/day-head.tsx'
import { lazy } from '../../components/lazy.tsx'
import { Loading, QueryError } from '../../components/pane.tsx'
import { Snippet } from '../../components/snippet.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { useVirtual } from '../../components/virtual.ts'
import { counted } from '../../data/formats.ts'
import { mayWriteNotes } from '../../data/session.ts'
import { ownDocuments } from '../../offline/note-documents.ts'
import { navigate } from '../../router.ts'
import { fetchEarly, loadNoteCode } from './early-note.ts'
import { justTrashed } from './just-trashed.ts'
import { focusedIndex, useListKeys } from './keys.ts'
import { type NoteQuery, PAGE_SIZE, type Pages, type Row, usePages } from './list-data.ts'
import { ListHead, Trash } from './list-head.tsx'
import { list, NEW, noteAddress, noteId, searchText, sort } from './route.ts'
import { isSelecting, select, selected, selectionAnchor, setSelected } from './selection.ts'

const ROW_PX = 97

/** Opens a new note. */
function startNote(): void {
  navigate(noteAddress(NEW))
  document.querySelector<HTMLElement>('#note .title-field')?.focus()
}

/** Keeps the last result until the next one has arrived. */
function useShownQuery(requested: NoteQuery): NoteQuery {
  const first = usePages(requested, [0])
  const current = useRef(requested)
  const hasListChanged = JSON.stringify(requested.list) !== JSON.stringify(current.current.list)
  if (hasListChanged || first.total !== undefined || first.error) current.current = requested
  return current.current
}

/** The list of notes; only the visible rows are loaded. */
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
    <section
      class="pane list"
      id="list"
      aria-labelledby="list-h"
      ref={pane}
      onPointerEnter={loadNoteCode}
      onFocusIn={loadNoteCode}
    >
      <ListHead onCreate={startNote} />
      {justTrashed.value && <JustTrashed />}
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
        {mayWriteNotes.value && (
          <span>
            <kbd>N</kbd> new
          </span>
        )}
      </p>
    </section>
  )
}

/** Notes with conflicts or refused changes. */
function Unsettled() {
  const unsettled = useComputed(() =>
    ownDocuments().filter(
      ({ id, draft }) => id !== noteId.value && ['conflict', 'refused'].includes(draft.state.value.kind),
    ),
  )
  return unsettled.value.length === 0 ? null : <UnsettledNotes documents={unsettled.value} />
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
  const visible = rows.getVirtualItems()
  const [tabStop, setTabStop] = useState<number>()
  const indices = [...new Set(visible.map(({ index }) => Math.floor(index / PAGE_SIZE)))]
  const pages = usePages(noteQuery, indices)
  useListKeys({ rows, total: first.total ?? 0, find: pages.find })
  if (first.total === undefined) return first.error ? <QueryError error={first.error} /> : <Loading />
  const bar = isSelecting.value && <BulkBar noteQuery={noteQuery} total={first.total} />
  if (first.total === 0)
    return (
      <>
        <NoNotes noteQuery={noteQuery} onCreate={onCreate} />
        {bar}
      </>
    )
  const isInDay = isByDay(noteQuery)
  const margin = items.current?.offsetTop ?? 0
  const before = (visible[0]?.start ?? margin) - margin
  const after = rows.getTotalSize() - ((visible.at(-1)?.end ?? margin) - margin)
  return (
    <>
      {first.error && <QueryError error={first.error} />}
      <p class="list-end" role="status">
        {counted(first.total, 'note')}
        {noteQuery.search !== '' && noteQuery.sort === undefined && ', best match first'}
        {mayWriteNotes.value && noteQuery.list.kind !== 'trash' && !isSelecting.value && (
          <>
            {' · '}
            <button type="button" class="link" onClick={() => setSelected(new Map())}>
              Select
            </button>
          </>
        )}
      </p>
      <ol
        onFocusIn={() => setTabStop(focusedIndex())}
        onPointerDown={({ target }) => {
          const row = pages.find(Number((target as Element).closest('li')?.dataset.index))
          if (row && noteQuery.list.kind !== 'trash') fetchEarly(row.id)
        }}
        class={isSelecting.value ? 'ledger notes-rows picking' : 'ledger notes-rows'}
        ref={items}
        style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}
      >
        {visible.map(({ index }) => (
          <ListRow
            key={index}
            index={index}
            total={first.total ?? 0}
            row={pages.find(index)}
            isTabStop={index === tabStopIn(visible, tabStop, pages)}
            isInDay={isInDay}
            day={isInDay ? dayAt(pages, index) : undefined}
            selectTo={(isOn) => selectRange(pages, selectionAnchor() ?? index, index, isOn)}
            isTrash={noteQuery.list.kind === 'trash'}
            measure={rows.measureElement}
          />
        ))}
      </ol>
      {bar}
    </>
  )
}

/** The row with the tab stop: the last focused one, else the open one, else the first visible one. */
function tabStopIn(
  visible: readonly { readonly index: number }[],
  tabStop: number | undefined,
  pages: Pages,
): number | undefined {
  const found =
    visible.find(({ index }) => index === tabStop) ??
    visible.find(({ index }) => pages.find(index)?.id === noteId.value) ??
    visible[0]
  return found?.index
}

/** True if the list is ordered by time. */
const isByDay = ({ list, search, sort }: NoteQuery): boolean =>
  list.kind !== 'view' && (sort === undefined ? search === '' : sort !== 'title')

const dayOf = ({ at }: Row): string => new Date(at).toDateString()

/** The time of a row that starts a new day. */
function dayAt(pages: Pages, index: number): string | undefined {
  const [row, before] = [pages.find(index), index === 0 ? undefined : pages.find(index - 1)]
  if (!row || (index > 0 && (!before || dayOf(before) === dayOf(row)))) return undefined
  return row.at
}

/** Selects or deselects a range of notes. */
function selectRange(pages: Pages, from: number, to: number, isOn: boolean): void {
  const [first, last] = [Math.min(from, to), Math.max(from, to)]
  select(
    Array.from({ length: last - first + 1 }, (_, offset) => pages.find(first + offset)),
    isOn,
    to,
  )
}

const BulkBar = lazy(async () => (await import('./bulk-bar.tsx')).BulkBar)
const JustTrashed = lazy(async () => (await import('./list-states.tsx')).JustTrashed)
const NoNotes = lazy(async () => (await import('./list-states.tsx')).NoNotes)
const UnsettledNotes = lazy(async () => (await import('./list-states.tsx')).UnsavedNotes)

interface ListRowProps {
  readonly index: number
  readonly total: number
  readonly row: Row | undefined
  /** J and K move between rows. */
  readonly isTabStop: boolean
  readonly isInDay: boolean
  /** The time of the row, if it starts a new day. */
  readonly day: string | undefined
  readonly selectTo: (isOn: boolean) => void
  readonly isTrash: boolean
  readonly measure: (element: HTMLElement | null) => void
}

function ListRow({ index, total, row, isTabStop, isInDay, day, selectTo, isTrash, measure }: ListRowProps) {
  const isOpen = row !== undefined && row.id === noteId.value
  const isSelected = row !== undefined && selected.value.has(row.id)
  return (
    <li
      class={isOpen || isSelected ? 'chosen' : undefined}
      data-index={index}
      ref={measure}
      aria-setsize={total}
      aria-posinset={index + 1}
    >
      {day && <DayHead at={day} />}
      {row ? <Time at={row.at} isInDay={isInDay} /> : <span class="when" />}
      {row && mayWriteNotes.value && !isTrash && (
        <input
          type="checkbox"
          class="pick"
          tabIndex={isSelecting.value && isTabStop ? 0 : -1}
          aria-label={`Select ${row.title}`}
          checked={isSelected}
          onClick={({ shiftKey, currentTarget: { checked } }) =>
            shiftKey ? selectTo(checked) : select([row], checked, index)
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
          tabIndex={isTabStop ? 0 : -1}
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
