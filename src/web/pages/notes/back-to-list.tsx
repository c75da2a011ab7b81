import { Icon } from '../../components/icon.tsx'
import { listAddress } from './place.ts'

/** Leads from the open note back to the list. */
export const BackToList = () => (
  <a class="button quiet icon-only phone" href={listAddress()} aria-label="Back to the list">
    <Icon name="back" />
  </a>
)
