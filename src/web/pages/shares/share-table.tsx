import type { ComponentChildren } from 'preact'
import { confirm } from '../../components/confirm.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Button } from '../../components/form.tsx'
import { CopyButton } from '../../components/secret.tsx'
import { Time } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { endShare, rotateShare, type Share } from '../../data/shares.ts'
import { useQuery } from '../../data/use-query.ts'
import { address } from '../../router.ts'
import { useTargets } from './targets.ts'

const KINDS: Readonly<Record<string, string>> = {
  note: 'Note',
  view: 'View',
  row_view: 'Table view',
  form: 'Form',
}

const conditionsOf = ({ has_password, expires_at }: Share): string =>
  [has_password && 'password', expires_at !== null && `until ${new Date(expires_at).toLocaleDateString()}`]
    .filter(Boolean)
    .join(', ')

/** The title of a shared note, as a link to it. */
const NoteTarget = ({ id }: { id: string }) => {
  const { data } = useQuery(['note', id, 'title'], async ({ signal }) => {
    const { note } = await api.get('/v1/notes/{id}', { params: { id }, signal })
    return note.title
  })
  return <a href={address(['notes', id])}>{data === '' ? 'Untitled' : data}</a>
}

function OtherTarget({ kind, target_id }: Share) {
  const target = useTargets().data?.find((one) => one.kind === kind && one.id === target_id)
  if (!target) return null
  const query = kind === 'row_view' ? `?view=${target_id}` : ''
  return <a href={address([...target.path]) + query}>{target.name}</a>
}

const PAGE_SIZE = 50

const Target = (share: Share) =>
  share.kind === 'note' ? <NoteTarget id={share.target_id} /> : <OtherTarget {...share} />

interface ShareTableProps {
  readonly shares: readonly Share[]
  /** Whether the links have different targets, whose names are shown. */
  readonly hasTargets?: boolean
  readonly empty?: ComponentChildren
}

const askToReplace = (id: string): Promise<boolean> =>
  confirm({
    title: 'Replace the link',
    consequence: 'Everybody who has the old link loses access at once.',
    action: 'Replace link',
    act: () => rotateShare(id),
  })

const askToTurnOff = (id: string): Promise<boolean> =>
  confirm({
    title: 'Turn the link off',
    consequence: 'Everybody who has the link loses access at once.',
    action: 'Turn off link',
    act: () => endShare(id),
  })

const columnsOf = (hasTargets: boolean): readonly Column<Share>[] => [
  {
    label: 'Last opened',
    corner: 'margin',
    cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <Time at={last_used_at} />),
  },
  {
    label: 'Name',
    corner: 'top-start',
    isRowHeading: true,
    cell: (share) => share.name ?? (hasTargets ? <Target {...share} /> : KINDS[share.kind]),
  },
  {
    label: 'Target',
    corner: 'bottom-start',
    cell: (share) => (
      <>
        {(hasTargets || share.name !== null) && KINDS[share.kind]}{' '}
        {hasTargets && share.name !== null && <Target {...share} />} <small>{conditionsOf(share)}</small>
      </>
    ),
  },
  { label: 'Created by', corner: 'desk', cell: ({ created_by }) => created_by.name },
  { label: 'Opened', corner: 'desk', cell: ({ uses }) => uses },
  {
    label: 'Actions',
    isLabelHidden: true,
    corner: 'top-end',
    isNumber: true,
    cell: ({ id, url }) =>
      url !== null && (
        <>
          <CopyButton text={url} word="Copy link" kind="quiet" />
          <Button kind="quiet" onClick={() => void askToReplace(id)}>
            Replace link
          </Button>
          <Button kind="quiet" onClick={() => void askToTurnOff(id)}>
            Turn off
          </Button>
        </>
      ),
  },
]

/** Share links with their targets, use and actions. */
export const ShareTable = ({ shares, hasTargets = false, empty }: ShareTableProps) => (
  <DataTable
    label="Shared links"
    look="with-actions"
    columns={columnsOf(hasTargets)}
    items={shares}
    keyOf={({ id }) => id}
    empty={empty}
    pageSize={PAGE_SIZE}
  />
)
