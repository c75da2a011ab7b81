import { computed } from '@preact/signals'
import { address, path, search } from '../../router.ts'

/** Which notes are listed. */
export type List =
  | { readonly kind: 'all' }
  | { readonly kind: 'trash' }
  | { readonly kind: 'view'; readonly id: string }
  | { readonly kind: 'tag'; readonly name: string }

export type Sort = 'edited_at' | 'created_at' | 'title'

/** Stands in the address for a note that is not there yet. */
export const NEW = 'new'

/** Stands in the address for the note of the day. */
export const TODAY = 'today'

/** The day whose note is wanted; undefined is today. */
export const wantedDay = computed(() => search.value.get('day') ?? undefined)

/** What a sheet begins with: a title, a text and the names of tags, with commas between. */
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

const isHere = computed(() => [undefined, 'notes'].includes(path.value[0]))

/** The note that is open; undefined on another screen. */
export const noteId = computed(() => (isHere.value ? path.value[1] : undefined))

export const list = computed<List>(() => {
  const [view, tag] = [search.value.get('view'), search.value.get('tag')]
  if (search.value.get('list') === 'trash') return { kind: 'trash' }
  if (view !== null) return { kind: 'view', id: view }
  return tag === null ? { kind: 'all' } : { kind: 'tag', name: tag }
})

/** What is listed; undefined on another screen. */
export const shownList = computed(() => (isHere.value ? list.value : undefined))

export const searchText = computed(() => search.value.get('search') ?? '')

const SORTS: readonly string[] = ['edited_at', 'created_at', 'title'] satisfies Sort[]

/** The order that was chosen; undefined is the best match while searching, else the last edit or what the view says. */
export const sort = computed(() => {
  const given = search.value.get('sort') ?? ''
  return SORTS.includes(given) ? (given as Sort) : undefined
})

/** Whether the details are shown where there is room for one pane only. */
export const isAtDetails = computed(() => search.value.get('pane') === 'details')

export const isPreview = computed(() => search.value.get('show') === 'preview')

const LIST_PARAMETERS = ['list', 'view', 'tag', 'search', 'sort']

const listParameters = () =>
  Object.fromEntries(
    isHere.value ? LIST_PARAMETERS.map((name) => [name, search.value.get(name) ?? undefined]) : [],
  )

/** A note, beside the list that is open. */
export const noteAddress = (
  id: string,
  more: { pane?: 'details'; show?: 'preview'; title?: string; day?: string } = {},
) => address(['notes', id], { ...listParameters(), ...more })

/** The note of a day. */
export const dayAddress = (day: string) => noteAddress(TODAY, { day })

/** The list alone. */
export const listAddress = () => address(['notes'], listParameters())

/** Another list, beside the note that is open. */
export const otherListAddress = (parameters: Record<string, string>) =>
  address(['notes', ...(noteId.value === undefined ? [] : [noteId.value])], parameters)
