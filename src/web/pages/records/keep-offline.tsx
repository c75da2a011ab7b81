import { Icon } from '../../components/icon.tsx'
import type { Structure } from '../../data/records/model.ts'
import type { Mark } from '../../offline/database.ts'
import { marks, setMark } from '../../offline/start.ts'

interface KeepOfflineProps {
  readonly structure: Structure
  readonly onChosen: () => void
}

function wordsFor(mark: Mark | undefined): string {
  if (mark === undefined) return 'Keep offline'
  if (mark.since !== undefined) return 'Remove offline copy'
  return mark.problem === undefined ? 'Cancel offline copy' : 'Too many rows to keep offline: cancel'
}

/** Starts or stops storing the rows of a table in this browser. */
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
      {mark?.since !== undefined && <Icon name="check" />}
      {wordsFor(mark)}
    </button>
  )
}
