import { Icon } from '../../components/icon.tsx'
import { areDetailsShown, isListOpen, toggleDetails, toggleList } from './room.ts'

interface ToggleProps {
  readonly label: string
  readonly keys: string
  readonly isOpen: boolean
  readonly onClick: () => void
  readonly isEnd?: boolean
}

const Toggle = ({ label, keys, isOpen, onClick, isEnd = false }: ToggleProps) => (
  <button
    type="button"
    class={`button quiet icon-only wide ${isEnd ? '' : 'at-start'}`}
    aria-label={label}
    aria-pressed={isOpen}
    title={`${label} (${keys})`}
    onClick={onClick}
  >
    <Icon name="side" />
  </button>
)

/** Opens or closes the list beside a note. */
export const ListToggle = () => (
  <Toggle label="List" keys="Ctrl \" isOpen={isListOpen.value} onClick={toggleList} />
)

/** Opens or closes the details beside a note. */
export const DetailsToggle = () => (
  <Toggle label="Details" keys="Ctrl ." isOpen={areDetailsShown.value} onClick={toggleDetails} isEnd />
)
