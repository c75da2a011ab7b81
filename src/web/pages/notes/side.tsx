import { useAction, Why } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { lazy } from '../../components/lazy.tsx'
import { api } from '../../data/api.ts'
import { useQuery } from '../../data/cache.ts'
import { formatNumber } from '../../data/formats.ts'
import { mayWrite } from '../../data/session.ts'
import { address } from '../../router.ts'
import { list, noteAddress, noteId, otherListAddress, TODAY } from './place.ts'

const Tags = lazy(async () => (await import('./tags.tsx')).Tags)

const count = (value: number | undefined) =>
  value !== undefined && <span class="at-end">{formatNumber(value)}</span>

export const useViews = () => useQuery(['view'], () => api.get('/v1/views')).data?.views ?? []

/** The note of the day, the notes in quick access, the views with the trash, and the tags. */
export function Side() {
  return (
    <>
      <div class="rail-sub">
        <ul>
          <li>
            <a href={noteAddress(TODAY)} aria-keyshortcuts="T">
              <Icon name="calendar" />
              Today
            </a>
          </li>
        </ul>
      </div>
      <QuickAccess />
      <Views />
      <Tags />
    </>
  )
}

export const useQuickAccess = () =>
  useQuery(['quick_access_item note'], () => api.get('/v1/quick-access')).data?.items ?? []

/** Moves a note within quick access; the others shift. */
export const moveInQuickAccess = (id: string, position: number) =>
  api.patch('/v1/quick-access/{id}', { params: { id }, body: { position } })

function QuickAccess() {
  const items = useQuickAccess()
  const { run, refusal } = useAction(moveInQuickAccess)
  if (items.length === 0) return null
  const move = (event: KeyboardEvent, id: string, position: number) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (!event.altKey || step === undefined || !mayWrite.peek()) return
    event.preventDefault()
    if (items[position + step]) void run(id, position + step)
  }
  return (
    <div class="rail-sub">
      <h2>Quick access</h2>
      <ul>
        {items.map(({ id, note_id, title }, at) => (
          <li key={id}>
            <a
              href={noteAddress(note_id)}
              aria-current={noteId.value === note_id ? 'true' : undefined}
              draggable={false}
              data-drop={at}
              onPointerDown={(event) => {
                const item = event.currentTarget
                if (mayWrite.peek())
                  import('../records/views/drag.ts').then(
                    ({ startDrag }) => startDrag(event, (target) => void run(id, Number(target)), item),
                    () => {},
                  )
              }}
              aria-keyshortcuts={mayWrite.value ? 'Alt+ArrowUp Alt+ArrowDown' : undefined}
              onKeyDown={(event) => move(event, id, at)}
            >
              <Icon name="star" />
              <span class="cut" dir="auto">
                {title}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {refusal.value && <Why>{refusal.value}</Why>}
    </div>
  )
}

function Views() {
  const views = useViews()
  const counts = useQuery(['note'], () => api.get('/v1/workspace')).data?.workspace.counts
  const shown = list.value
  return (
    <div class="rail-sub">
      <h2>Views</h2>
      <ul>
        <li>
          <a href={otherListAddress({})} aria-current={shown.kind === 'all' ? 'true' : undefined}>
            All notes{count(counts?.notes)}
          </a>
        </li>
        {views.map(({ id, name }) => (
          <li key={id}>
            <a
              href={otherListAddress({ view: id })}
              aria-current={shown.kind === 'view' && shown.id === id ? 'true' : undefined}
            >
              <span class="cut">{name}</span>
            </a>
          </li>
        ))}
        <li>
          <a
            href={otherListAddress({ list: 'trash' })}
            aria-current={shown.kind === 'trash' ? 'true' : undefined}
          >
            Trash{count(counts?.trashed_notes)}
          </a>
        </li>
        <li>
          <a href={address(['views'])}>
            <Icon name="gear" />
            Views, tags, properties
          </a>
        </li>
      </ul>
    </div>
  )
}
