import { computed } from '@preact/signals'
import { address, path, search } from '../../router.ts'

/** A list of notes. */
export type List =
  | { readonly kind: 'all' }
  | { readonly kind: 'trash' }
  | { readonly kind: 'view'; readonly id: string }
  | { readonly kind: 'tag'; readonly name: string /** With the tags below it. */; readonly isTree?: true }

export type Sort = 'edited_at' | 'created_at' | 'title'

/** The id of a new note in addresses. */
export const NEW = 'new'

/** The id of the daily note in addresses. */
export const TODAY = 'today'

/** The id of the list of tasks in addresses. */
export const TASKS = 'tasks'

/** The day of the requested daily note; undefined for today. */
export const requestedDay = computed(() => given('day'))

/** Initial title, text and comma-separated tags of a new note. */
export const newTitle = computed(() => search.value.get('title') ?? '')
export const newText = computed(() => search.value.get('text') ?? '')
export const newTags = computed(() => namesIn(search.value.get('tags') ?? ''))

const namesIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim().replace(/^#/, ''))
      .filter(Boolean),
  ),
]

const isNotesScreen = computed(() => [undefined, 'notes'].includes(path.value[0]))

/** The open note; undefined on another screen. */
export const noteId = computed(() => (isNotesScreen.value ? path.value[1] : undefined))

export const list = computed<List>(() => {
  const [view, tag] = [search.value.get('view'), search.value.get('tag')]
  if (search.value.get('list') === 'trash') return { kind: 'trash' }
  if (view !== null) return { kind: 'view', id: view }
  if (tag === null) return { kind: 'all' }
  return { kind: 'tag', name: tag, ...(search.value.get('tree') !== null && { isTree: true }) }
})

/** The current list; undefined on another screen. */
export const currentList = computed(() => (isNotesScreen.value ? list.value : undefined))

export const searchText = computed(() => search.value.get('search') ?? '')

const SORTS: readonly string[] = ['edited_at', 'created_at', 'title'] satisfies Sort[]

/** The selected order. Undefined means best match in a search, else the order of the view or the last edit. */
export const sort = computed(() => {
  const value = search.value.get('sort') ?? ''
  return SORTS.includes(value) ? (value as Sort) : undefined
})

/** True if a narrow screen shows the details instead of the note. */
export const areDetailsOpen = computed(() => search.value.get('pane') === 'details')

export const isPreview = computed(() => search.value.get('show') === 'preview')

const given = (name: string) => search.value.get(name) ?? undefined

const LIST_PARAMETERS = ['list', 'view', 'tag', 'tree', 'search', 'sort', 'beside']

const listParameters = () =>
  Object.fromEntries(isNotesScreen.value ? LIST_PARAMETERS.map((name) => [name, given(name)]) : [])

/** The address of a note beside the current list. */
export const noteAddress = (
  id: string,
  more: {
    pane?: 'details'
    show?: 'preview'
    title?: string
    text?: string
    tags?: string
    day?: string
    /** Leaves out the second note of the screen. */
    beside?: undefined
  } = {},
) => address(['notes', id], { ...listParameters(), ...more })

/** The address of a daily note. */
export const dayAddress = (day: string) => noteAddress(TODAY, { day })

/** The address of the current list without a note. */
export const listAddress = () => address(['notes'], listParameters())

/** The address of another list beside the open note. */
export const otherListAddress = (parameters: Record<string, string>) =>
  address(['notes', ...(noteId.value === undefined ? [] : [noteId.value])], {
    beside: given('beside'),
    ...parameters,
  })
