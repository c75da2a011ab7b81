import { QuickAccess } from './notes/quick-access.tsx'
import { Tags } from './notes/tags.tsx'
import { Views } from './notes/views.tsx'
import { StructureList } from './records/structure-list.tsx'

/** What a workspace holds, the same on every screen. */
export const RailLists = () => (
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
