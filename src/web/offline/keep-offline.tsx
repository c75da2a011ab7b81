import { Icon } from '../components/icon.tsx'
import type { Structure } from '../pages/records/model.ts'
import { marks, setMark } from './start.ts'

interface KeepOfflineProps {
  readonly structure: Structure
  readonly onChosen: () => void
}

/** Has the rows of a structure kept in this browser, or ends that. */
export function KeepOffline({ structure, onChosen }: KeepOfflineProps) {
  const mark = marks.value.find((one) => one.structure === structure.id)
  return (
    <button
      type="button"
      onClick={() => {
        onChosen()
        void setMark(structure, mark === undefined)
      }}
    >
      {mark === undefined ? (
        'Keep offline'
      ) : (
        <>
          <Icon name="check" />
          Kept offline: stop keeping
        </>
      )}
    </button>
  )
}
