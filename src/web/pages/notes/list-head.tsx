import { useEffect } from 'preact/hooks'
import { useDebouncedSearch } from '../../components/debounced-search.ts'
import { Icon } from '../../components/icon.tsx'
import { lazy } from '../../components/lazy.tsx'
import { mayWriteNotes } from '../../data/session.ts'
import { setParameters } from '../../router.ts'
import { useViews } from './list-data.ts'
import { list, type Sort, searchText, sort } from './route.ts'

const ORDERS: Record<Sort, string> = { edited_at: 'Last edited', created_at: 'Newest', title: 'Title' }
const TYPING_MS = 150

const Side = lazy(async () => (await import('./side.tsx')).Side)

const Templates = lazy(async () => (await import('./templates.tsx')).Templates)

export const Trash = lazy(async () => (await import('./list-states.tsx')).Trash)

function useListName(): string {
  const views = useViews()
  const shown = list.value
  if (shown.kind === 'all') return 'All notes'
  if (shown.kind === 'trash') return 'Trash'
  return shown.kind === 'tag' ? `#${shown.name}` : (views.find(({ id }) => id === shown.id)?.name ?? 'View')
}

/** The head of the list: its name, order and search. */
export function ListHead({ onCreate }: { onCreate: () => void }) {
  const name = useListName()
  const { kind } = list.value
  const shown = JSON.stringify(list.value)
  useEffect(() => {
    if (shown !== '') document.getElementById('lists')?.hidePopover()
  }, [shown])
  const isSearching = searchText.value !== '' && kind !== 'trash'
  return (
    <>
      <header class="bar">
        <h2 id="list-h" class="cut">
          {name}
        </h2>
        <button
          type="button"
          class="button quiet icon-only narrow"
          popovertarget="lists"
          aria-label="Other lists"
        >
          <Icon name="down" />
        </button>
        <span class="grow" />
        {(kind === 'all' || kind === 'tag') && <Order isSearching={isSearching} />}
        {mayWriteNotes.value && kind === 'trash' && <Trash />}
        {mayWriteNotes.value && kind !== 'trash' && (
          <button
            type="button"
            class="button main icon-only"
            aria-label="New note (N)"
            aria-keyshortcuts="n"
            onClick={onCreate}
          >
            <Icon name="plus" />
          </button>
        )}
      </header>
      <div popover="auto" id="lists" class="menu lists">
        <Side />
      </div>
      {kind !== 'trash' && <Search name={name} />}
      {kind === 'all' && searchText.value === '' && mayWriteNotes.value && <Templates />}
    </>
  )
}

function Order({ isSearching }: { isSearching: boolean }) {
  const natural = isSearching ? 'Best match' : ORDERS.edited_at
  const choices: readonly [Sort | undefined, string][] = [
    ...(isSearching ? [[undefined, 'Best match'] as [undefined, string]] : []),
    ...(Object.entries(ORDERS) as [Sort, string][]),
  ]
  const select = (value: Sort | undefined) => {
    document.getElementById('order')?.hidePopover()
    setParameters({ sort: value })
  }
  const current = sort.value === undefined ? natural : ORDERS[sort.value]
  return (
    <>
      <button type="button" class="button quiet" popovertarget="order">
        <span class="visually-hidden">Sort by: </span>
        {current}
        <Icon name="down" />
      </button>
      <div popover="auto" id="order" class="menu">
        {choices.map(([value, title]) => (
          <button type="button" key={title} onClick={() => select(value)} aria-pressed={title === current}>
            {title === current ? <Icon name="check" /> : <Icon name="notes" />}
            {title}
          </button>
        ))}
      </div>
    </>
  )
}

/** A search field that updates the address after a pause in typing. */
function Search({ name }: { name: string }) {
  const field = useDebouncedSearch(
    searchText.value,
    (search) => setParameters({ search }, { replace: true }),
    TYPING_MS,
  )
  return (
    <search class="tools">
      <label class="search-field">
        <Icon name="search" />
        <span class="visually-hidden">Search {name}</span>
        <input class="input" type="search" placeholder="Search" {...field} />
      </label>
    </search>
  )
}
