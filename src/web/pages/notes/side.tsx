import { QuickAccess } from './quick-access.tsx'
import { Tags } from './tags.tsx'
import { Views } from './views.tsx'

/** The lists of notes, for screens whose rail has no room for them. */
export const Side = () => (
  <>
    <QuickAccess />
    <Views />
    <Tags />
  </>
)
