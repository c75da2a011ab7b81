import { ErrorText, useAction } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { api } from '../../data/api.ts'
import { mayWriteNotes } from '../../data/session.ts'
import { useQuery } from '../../data/use-query.ts'
import { startDrag } from '../records/views/drag.ts'
import { noteAddress, noteId } from './route.ts'

export const useQuickAccessQuery = () =>
  useQuery(['quick_access_item note'], () => api.get('/v1/quick-access'))

export const useQuickAccess = () => useQuickAccessQuery().data?.items ?? []

export const moveInQuickAccess = (id: string, position: number) =>
  api.patch('/v1/quick-access/{id}', { params: { id }, body: { position } })

/** The notes in quick access, reordered by dragging or with Alt and the arrow keys. */
export function QuickAccess() {
  const items = useQuickAccess()
  const { run, refusal } = useAction(moveInQuickAccess)
  if (items.length === 0) return null
  const move = (event: KeyboardEvent, id: string, position: number) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (!event.altKey || step === undefined || !mayWriteNotes.peek()) return
    event.preventDefault()
    if (items[position + step]) void run(id, position + step)
  }
  return (
    <div class="rail-sub">
      <h2>Quick access</h2>
      <ul>
        {items.map(({ id, note_id, title }, index) => (
          <li key={id}>
            <a
              href={noteAddress(note_id)}
              aria-current={noteId.value === note_id ? 'true' : undefined}
              draggable={false}
              data-drop={index}
              onPointerDown={(event) => {
                if (mayWriteNotes.peek()) startDrag(event, (target) => void run(id, Number(target)))
              }}
              aria-keyshortcuts={mayWriteNotes.value ? 'Alt+ArrowUp Alt+ArrowDown' : undefined}
              onKeyDown={(event) => move(event, id, index)}
            >
              <Icon name="star" />
              <span class="cut" dir="auto">
                {title}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {refusal.value && <ErrorText>{refusal.value}</ErrorText>}
    </div>
  )
}
