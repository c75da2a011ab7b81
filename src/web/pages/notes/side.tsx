import { Icon } from '../../components/icon.tsx'
import { lazy } from '../../components/lazy.tsx'
import { api } from '../../data/api.ts'
import { useQuery } from '../../data/cache.ts'
import { noteAddress, TODAY } from './place.ts'

const QuickAccess = lazy(async () => (await import('./quick-access.tsx')).QuickAccess)
const Views = lazy(async () => (await import('./views.tsx')).Views)
const Tags = lazy(async () => (await import('./tags.tsx')).Tags)

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
