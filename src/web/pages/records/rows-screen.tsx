import { counted, formatNumber } from '../../data/formats.ts'
import '../../styles/row-views.ts'
import { signal, useSignal } from '@preact/signals'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { lazy } from '../../components/lazy.tsx'
import { usePartTitle } from '../../components/page-title.ts'
import { Banner, Loading, Pane, QueryError } from '../../components/pane.tsx'
import { GroupedRows } from '../../data/records/grouped-rows.ts'
import type { Structure } from '../../data/records/model.ts'
import { useRowRights } from '../../data/records/row-rights.ts'
import { type RowList, RowSource } from '../../data/records/rows.ts'
import { editsOf } from '../../data/records/table-edits.ts'
import { follow } from '../../data/records/watch.ts'
import { address, search } from '../../router.ts'
import { clearLastAction, createRow, deleteRow } from './actions.ts'
import { BulkBar } from './bulk-bar.tsx'
import { ChartStrip } from './chart/strip.tsx'
import { ImportPane } from './csv/import-pane.tsx'
import { RowsMenu } from './csv/menu.tsx'
import { DeletedRowsPane } from './deleted-rows.tsx'
import { Filters } from './filters.tsx'
import { Columns } from './grid/columns.ts'
import { cursorOfAddress } from './grid/cursor-address.ts'
import { Grid } from './grid/grid.tsx'
import type { Editing, GridState } from './grid/state.ts'
import { GridFoot, NoRows, Notices } from './notices.tsx'
import { PasteBanner } from './paste/banner.tsx'
import { type Pasted, readPasted } from './paste/block.ts'
import { NewRowPane } from './row/new-row.tsx'
import { RowPane } from './row/row-pane.tsx'
import { StructureList } from './structure-list.tsx'
import { currentRowQuery, openRow, paneAddress } from './view.ts'
import {
  currentView,
  fieldsInAddress,
  groupingsInAddress,
  type RowView,
  useRowViews,
  useViewInAddress,
} from './views/model.ts'
import { Tile } from './views/table-icon.tsx'
import { ViewTabs } from './views/tabs.tsx'

const Board = lazy(async () => (await import('./views/board.tsx')).Board)
const Calendar = lazy(async () => (await import('./views/calendar.tsx')).Calendar)

/** The rows of a structure. If the address names a view, waits until the views are loaded. */
export function RowsScreen({ structure }: { structure: Structure }) {
  usePartTitle(structure.name)
  const { data: views, error } = useRowViews(structure.id)
  if (views === undefined && !error && search.value.get('view') !== null)
    return (
      <main id="main" class="records-screen">
        <Loading />
      </main>
    )
  return <Rows structure={structure} views={views} />
}

function Rows({ structure, views }: { structure: Structure; views: readonly RowView[] | undefined }) {
  const view = currentView(views)
  useViewInAddress(structure, view)
  const grid = useGrid(structure, view)
  const { source } = grid
  const [visible, setVisible] = useState<readonly [first: number, last: number]>([0, 0])
  const pasted = useSignal<Pasted | undefined>(undefined)
  const refusal = useSignal<string | undefined>(undefined)
  const onVisible = useCallback((first: number, last: number) => setVisible([first, last]), [])
  const pane = search.value.get('pane')
  const row = openRow()
  const total = source.total.value
  const error = source.error.value
  const rights = useRowRights(structure.id)
  const refuse = (message: string | undefined) => {
    refusal.value = message
  }
  const remove = (index: number) => {
    const record = source.row(index)
    refusal.value = undefined
    if (record && rights.mayWrite)
      deleteRow(record).then(
        () => source.refreshNow(),
        (failure: Error) => refuse(failure.message),
      )
  }
  return (
    <main
      id="main"
      class="records-screen"
      data-show={row === undefined && pane === null ? 'content' : 'side'}
    >
      <h1 class="visually-hidden">Tables</h1>
      <Pane kind="content" label={structure.name}>
        <RowsBar structure={structure} total={total} source={source} />
        <ViewTabs structure={structure} views={views} view={view} columns={grid.columns} />
        <Filters structure={structure} grid={view && view.kind !== 'table' ? undefined : grid} />
        {search.value.get('chart') !== null && <ChartStrip structure={structure} />}
        {error && <QueryError error={error} />}
        <Notices refusal={refusal} source={source} />
        {pasted.value && <PasteBanner key={pasted.value.number} grid={grid} pasted={pasted} />}
        {isViewMissing(views) && (
          <Banner>
            <p>This view was deleted or is private to another member.</p>
          </Banner>
        )}
        {total === undefined && !error && <Loading />}
        {total === 0 && !error && view?.kind !== 'board' && (
          <NoRows isFiltered={source.rowQuery.filter.length > 0} mayAdd={rights.mayAdd} />
        )}
        {view && view.kind !== 'table' ? (
          <ViewOfRows grid={grid} view={view} onRefused={refuse} />
        ) : (
          <>
            <Grid
              grid={grid}
              onVisible={onVisible}
              onPaste={(text) => {
                pasted.value = readPasted(grid, text)
              }}
              onDelete={remove}
              onRefused={refuse}
            />
            <BulkBar grid={grid} />
            <GridFoot grid={grid} visible={visible} />
          </>
        )}
      </Pane>
      {row !== undefined && <RowPane key={row} id={row} grid={grid} />}
      {row === undefined && pane === 'import' && rights.mayAdd && (
        <ImportPane structure={structure} source={source} />
      )}
      {row === undefined && pane === 'deleted' && <DeletedRowsPane structure={structure} source={source} />}
      {row === undefined && pane === 'new' && rights.mayAdd && (
        <NewRowPane structure={structure} onCreate={(data) => createRow(structure, data)} source={source} />
      )}
    </main>
  )
}

/** True if the address names a view that is not available to the user. */
const isViewMissing = (views: readonly RowView[] | undefined): boolean =>
  views !== undefined && search.value.get('view') !== null && currentView(views) === undefined

const widthsOf = (view: RowView | undefined) =>
  Object.fromEntries(
    (view?.columns ?? []).flatMap(({ key, width }) => (width === undefined ? [] : [[key, width]])),
  )

interface ViewOfRowsProps {
  readonly grid: GridState
  readonly view: RowView
  readonly onRefused: (message: string | undefined) => void
}

function ViewOfRows({ grid: { structure, fields, source, edits }, view, onRefused }: ViewOfRowsProps) {
  const field = (key: string | null) => structure.fields.find((known) => known.key === key)
  const shared = { structure, edits, rowQuery: source.rowQuery, onRefused }
  const date = field(view.date_field)
  if (view.kind === 'board' && view.group_by !== null)
    return <Board key={view.id} {...shared} fields={fields} groupBy={view.group_by} />
  return date ? <Calendar key={view.id} {...shared} date={date} end={field(view.end_field)} /> : null
}

/** The state of the grid. Its rows are watched until the query changes. */
function useGrid(structure: Structure, view: RowView | undefined): GridState {
  const rowQuery = currentRowQuery(structure)
  const text = JSON.stringify(rowQuery)
  const columns = useMemo(() => new Columns(view?.id ?? structure.id, widthsOf(view)), [structure.id, view])
  const shownGroupings = groupingsInAddress(structure, view)
  // Counts of rows change the structure, and must not replace the source.
  const groupings = useMemo(() => shownGroupings, [JSON.stringify(shownGroupings)])
  const source = useMemo(() => {
    if (groupings.length > 0) return new GroupedRows(rowQuery, groupings, () => columns.collapsed)
    const rows = new RowSource(rowQuery)
    if (rowQuery.filter.length === 0) rows.total.value = structure.record_count
    return rows
  }, [text, groupings, view?.id])
  useEffect(() => follow(source), [source])
  const shown = fieldsInAddress(structure)
  const fields = useMemo(() => shown, [structure, shown.map(({ key }) => key).join()])
  const edits = editsOf(structure, source)
  const [shared] = useState(() => ({
    cursor: signal(cursorOfAddress(fields)),
    editing: signal<Editing | undefined>(undefined),
    isFocused: signal(false),
    picked: signal<ReadonlySet<string>>(new Set()),
  }))
  useEffect(() => clearLastAction, [])
  // A board and a calendar do not show refused cells, so a notice does.
  const showsCells = view === undefined || view.kind === 'table'
  useEffect(() => (showsCells ? edits.show() : undefined), [edits, showsCells])
  useEffect(
    () => () => {
      shared.picked.value = new Set()
    },
    [source],
  )
  useCursorFollowsRow(source, shared.cursor)
  const rights = useRowRights(structure.id)
  const isEditable = rights.mayWrite && !structure.immutable
  return { ...shared, structure, fields, columns, source, groupings, edits, isEditable }
}

/** Keeps the cursor and the selected block on their rows when rows above them are added or removed. */
function useCursorFollowsRow(source: RowList, cursor: GridState['cursor']): void {
  const ids = useRef<{ row?: string | undefined; anchor?: string | undefined }>({})
  const version = source.version.value
  const { row, column, anchor } = cursor.value
  useEffect(() => {
    const indexOf = (id: string | undefined) => (id === undefined ? undefined : source.indexOf(id))
    const next = indexOf(ids.current.row)
    const from = indexOf(ids.current.anchor) ?? anchor.row
    if (next === undefined || (next === row && from === anchor.row)) return
    cursor.value = { row: next, column, anchor: { row: from, column: anchor.column } }
  }, [version])
  useEffect(() => {
    ids.current = { row: source.row(row)?.id, anchor: source.row(anchor.row)?.id }
  })
}

function RowsBar({
  structure,
  total,
  source,
}: {
  structure: Structure
  total: number | undefined
  source: RowList
}) {
  const rights = useRowRights(structure.id)
  const isFiltered = source.rowQuery.filter.length > 0
  const count = total === undefined ? 'Counting…' : counted(total, 'row')
  return (
    <header class="bar">
      <a class="button quiet icon-only phone" href={address(['records'])} aria-label="All tables">
        <Icon name="back" />
      </a>
      <Tile icon={structure.icon} color={structure.color} name={structure.name} />
      <h2 class="cut">{structure.name}</h2>
      <OtherStructures />
      <small>{isFiltered ? `${count} of ${formatNumber(structure.record_count)}` : count}</small>
      <span class="grow" />
      {rights.mayWrite && (
        <a class="button quiet desk" href={address(['records', structure.id, 'structure'])}>
          Fields
        </a>
      )}
      <RowsMenu structure={structure} source={source} />
      {rights.mayAdd && (
        <a class="button main" href={paneAddress('new')} aria-keyshortcuts="n">
          New row
        </a>
      )}
    </header>
  )
}

/** A menu of the tables, where the rail has no room for them. */
const OtherStructures = () => (
  <>
    <button
      type="button"
      class="button quiet icon-only between"
      popovertarget="other-structures"
      aria-label="All tables"
    >
      <Icon name="down" />
    </button>
    <div popover="auto" id="other-structures" class="menu">
      <StructureList />
    </div>
  </>
)
