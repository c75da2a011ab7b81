import { Icon } from '../../components/icon.tsx'
import { listAddress } from './route.ts'

export const BackToList = () => (
  <a class="button quiet icon-only phone" href={listAddress()} aria-label="Back to the list">
    <Icon name="back" />
  </a>
)
