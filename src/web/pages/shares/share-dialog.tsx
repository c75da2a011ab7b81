import { Button } from '../../components/form.tsx'
import { Modal } from '../../components/modal.tsx'
import { QueryResult } from '../../components/pane.tsx'
import { type ShareKind, useShares } from '../../data/shares.ts'
import { NewShare } from './new-share.tsx'
import { ShareTable } from './share-table.tsx'
import type { FormField } from './targets.ts'

export interface ShareDialogProps {
  readonly kind: ShareKind
  readonly targetId: string
  readonly title: string
  /** The fields that a form can contain. */
  readonly fields?: readonly FormField[]
  readonly onClose: () => void
}

/** The active share links to one target, and a form for a new one. */
export function ShareDialog({ kind, targetId, title, fields, onClose }: ShareDialogProps) {
  const shares = useShares()
  return (
    <Modal title={`Share ${title}`} onClose={onClose}>
      <NewShare kind={kind} targetId={targetId} {...(fields && { fields })} />
      <QueryResult query={shares}>
        {(allShares) => (
          <ShareTable
            shares={allShares.filter((share) => share.target_id === targetId && share.kind === kind)}
          />
        )}
      </QueryResult>
      <p class="actions">
        <Button onClick={onClose}>Close</Button>
      </p>
    </Modal>
  )
}
