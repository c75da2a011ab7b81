import { signal, useSignal } from '@preact/signals'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { usePartTitle } from '../../components/page-title.ts'
import { Failed, Loading, Pane } from '../../components/pane.tsx'
import { mayWrite } from '../../data/session.ts'
import { address, search } from '../../router.ts'
import { createRow, deleteRow, forgetDone } from './actions.ts'
import { ChartStrip } from './chart/strip.tsx'
import { ImportPane } from './csv/import-pane.tsx'
import { RowsMenu } from './csv/menu.tsx'
import { DeletedRowsPane } from './deleted-rows.tsx'
import { editsOf } from './edits.ts'
import { Filters } from './filters.tsx'
import { cursorAt } from './grid/cursor.ts'
import { Grid } from './grid/grid.tsx'
import { cursorOfAddress } from './grid/place.ts'
import type { Editing, GridState } from './grid/state.ts'
import { type Structure, shownFields } from './model.ts'
import { GridFoot, NoRows, Notices } from './notices.tsx'
import { PasteBanner } from './paste/banner.tsx'
import { type Pasted, readPasted } from './paste/block.ts'
import { NewRowPane } from './row/new-row.tsx'
import { RowPane } from './row/row-pane.tsx'
import { RowSource } from './rows.ts'
import { StructureList } from './side.tsx'
import { chosenRow, currentRowQuery, paneAddress } from './view.ts'
import { follow } from './watch.ts'

/** The rows of one structure. */
export function RowsScreen({ structure }: { structure: Structure }) {
  usePartTitle(structure.name)
  const grid = useGrid(structure)
  const { source } = grid
  const [seen, setSeen] = useState<readonly [first: number, last: number]>([0, 0])
  const pasted = useSignal<Pasted | undefined>(undefined)
  const refusal = useSignal<string | undefined>(undefined)
  const onSeen = useCallback((first: number, last: number) => setSeen([first, last]), [])
  const pane = search.value.get('pane')
  const row = chosenRow()
  const total = source.total.value
  const error = source.error.value
  const refuse = (sentence: string) => {
    refusal.value = sentence
  }
  const remove = (index: number) => {
    const record = source.row(index)
    refusal.value = undefined
    if (record && mayWrite.peek())
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
      <h1 class="visually-hidden">Records</h1>
      <Pane kind="content" label={structure.name}>
        <RowsBar structure={structure} total={total} source={source} />
        <Filters structure={structure} />
        {search.value.get('chart') !== null && <ChartStrip structure={structure} />}
        {error && <Failed error={error} />}
        <Notices refusal={refusal} source={source} />
        {pasted.value && (
          <PasteBanner key={pasted.value.number} grid={grid} pasted={pasted} onRefused={refuse} />
        )}
        {total === undefined && !error && <Loading what="Loading…" />}
        {total === 0 && !error && <NoRows isFiltered={source.rowQuery.filter.length > 0} />}
        <Grid
          grid={grid}
          onSeen={onSeen}
          onPaste={(text) => {
            pasted.value = readPasted(grid, text)
          }}
          onDelete={remove}
          onRefused={refuse}
        />
        <GridFoot grid={grid} seen={seen} />
      </Pane>
      {row !== undefined && <RowPane key={row} id={row} grid={grid} />}
      {row === undefined && pane === 'import' && <ImportPane structure={structure} source={source} />}
      {row === undefined && pane === 'deleted' && <DeletedRowsPane structure={structure} source={source} />}
      {row === undefined && pane === 'new' && (
        <NewRowPane
          structure={structure}
          onCreate={(data) => createRow(structure.id, data)}
          source={source}
        />
      )}
    </main>
  )
}

/** The state of the grid; its rows are watched while the query is the same. */
function useGrid(structure: Structure): GridState {
  const rowQuery = currentRowQuery(structure.id)
  const text = JSON.stringify(rowQuery)
  const source = useMemo(() => {
    const made = new RowSource(rowQuery)
    if (rowQuery.filter.length === 0) made.total.value = structure.record_count
    return made
  }, [text])
  useEffect(() => follow(source), [source])
  const fields = useMemo(() => shownFields(structure), [structure])
  const edits = editsOf(structure, source)
  const [shared] = useState(() => ({
    cursor: signal(cursorOfAddress(fields)),
    editing: signal<Editing | undefined>(undefined),
    isFocused: signal(false),
  }))
  useEffect(() => forgetDone, [])
  useEffect(() => edits.show(), [edits])
  useCursorFollowsRow(source, shared.cursor)
  return { ...shared, structure, fields, source, edits, isEditable: mayWrite.value && !structure.immutable }
}

/** The cursor stays on its row when rows before it come and go. */
function useCursorFollowsRow(source: RowSource, cursor: GridState['cursor']): void {
  const id = useRef<string | undefined>(undefined)
  const version = source.version.value
  const { row, column } = cursor.value
  useEffect(() => {
    const index = id.current === undefined ? undefined : source.indexOf(id.current)
    if (index !== undefined && index !== row) cursor.value = cursorAt(index, column)
  }, [version])
  useEffect(() => {
    id.current = source.row(row)?.id
  })
}

function RowsBar({
  structure,
  total,
  source,
}: {
  structure: Structure
  total: number | undefined
  source: RowSource
}) {
  const isFiltered = source.rowQuery.filter.length > 0
  const count = total === undefined ? 'counting…' : rowCount(total)
  return (
    <header class="bar">
      <a class="button quiet icon-only phone" href={address(['records'])} aria-label="All structures">
        <Icon name="back" />
      </a>
      <h2 class="cut">{structure.name}</h2>
      <OtherStructures />
      <small>
        {isFiltered ? `${count} of ${new Intl.NumberFormat().format(structure.record_count)}` : count}
      </small>
      <span class="grow" />
      <a class="button quiet desk" href={address(['records', structure.id, 'structure'])}>
        Structure
      </a>
      <RowsMenu structure={structure} source={source} />
      {mayWrite.value && (
        <a class="button main" href={paneAddress('new')}>
          New row
        </a>
      )}
    </header>
  )
}

/** Where the rail has no room for the structures, a menu of them. */
const OtherStructures = () => (
  <>
    <button
      type="button"
      class="button quiet icon-only between"
      popovertarget="other-structures"
      aria-label="All structures"
    >
      <Icon name="down" />
    </button>
    <div popover="auto" id="other-structures" class="menu">
      <StructureList />
    </div>
  </>
)

const rowCount = (count: number) => (count === 1 ? '1 row' : `${new Intl.NumberFormat().format(count)} rows`)
