import { lazy } from '../components/lazy.tsx'
import { useStructures } from '../data/records/structures.ts'
import { unreachableSince } from '../data/request.ts'
import { useUnreadBadge } from './inbox/badge.ts'
import { useViewsQuery } from './notes/list-data.ts'
import { QuickAccess, useQuickAccessQuery } from './notes/quick-access.tsx'
import { Views } from './notes/views.tsx'
import { StructureList } from './records/structure-list.tsx'

const Tags = lazy(async () => (await import('./notes/tags.tsx')).Tags)

/** The lists of the workspace, the same on every screen. They appear together, so that none moves the ones below it. */
export const RailLists = () => {
  useUnreadBadge()
  const lists = [useQuickAccessQuery(), useStructures(), useViewsQuery()]
  const isRead = lists.every(({ data, error }) => data !== undefined || error !== null)
  if (!isRead && unreachableSince.value === undefined) return null
  return (
    <>
      <QuickAccess />
      <div class="rail-sub">
        <h2>Tables</h2>
        <StructureList />
      </div>
      <Views />
      <Tags />
    </>
  )
}
