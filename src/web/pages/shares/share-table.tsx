import '../../styles/with-actions.ts'
import { useState } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
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

const PAGE = 50

const Target = (share: Share) =>
  share.kind === 'note' ? <NoteTarget id={share.target_id} /> : <OtherTarget {...share} />

interface ShareTableProps {
  readonly shares: readonly Share[]
  /** Whether the links have different targets, whose names are shown. */
  readonly hasTargets?: boolean
}

/** Share links with their targets, use and actions. */
export function ShareTable({ shares, hasTargets = false }: ShareTableProps) {
  const [count, setCount] = useState(PAGE)
  const { run, refusal } = useAction((act: () => Promise<void>) => act())
  return (
    <>
      {refusal.value && <ErrorText>{refusal.value}</ErrorText>}
      <table class="table with-actions" aria-label="Shared links">
        <thead>
          <tr>
            <th class="margin" scope="col">
              Last opened
            </th>
            <th scope="col">Name</th>
            <th scope="col">Target</th>
            <th scope="col">Created by</th>
            <th scope="col">Opened</th>
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shares.slice(0, count).map((share) => (
            <tr key={share.id}>
              <td class="margin">
                {share.last_used_at === null ? 'never' : <Time at={share.last_used_at} />}
              </td>
              <th scope="row" class="top-start">
                {share.name ?? (hasTargets ? <Target {...share} /> : KINDS[share.kind])}
              </th>
              <td class="bottom-start">
                {(hasTargets || share.name !== null) && KINDS[share.kind]}{' '}
                {hasTargets && share.name !== null && <Target {...share} />}{' '}
                <small>{conditionsOf(share)}</small>
              </td>
              <td class="desk">{share.created_by.name}</td>
              <td class="desk">{share.uses}</td>
              <td class="number top-end">
                {share.url !== null && (
                  <>
                    <CopyButton text={share.url} word="Copy link" kind="quiet" />
                    <Button kind="quiet" onClick={() => run(() => rotateShare(share.id))}>
                      Replace link
                    </Button>
                    <Button kind="quiet" onClick={() => run(() => endShare(share.id))}>
                      Turn off
                    </Button>
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shares.length > count && (
        <Button onClick={() => setCount(count + PAGE)}>Show {shares.length - count} more</Button>
      )}
    </>
  )
}
