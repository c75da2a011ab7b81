import { Button, useAction, Why } from '../../components/form.tsx'
import { CopyButton } from '../../components/secret.tsx'
import { Time } from '../../components/time.tsx'
import { endShare, rotateShare, type Share } from '../../data/shares.ts'

const KINDS: Readonly<Record<string, string>> = {
  note: 'Note',
  view: 'View of notes',
  row_view: 'View of rows',
  form: 'Form',
}

/** What a link is called where it has no name. */
const nameOf = ({ name, kind }: Share): string => name ?? KINDS[kind] ?? kind

const conditionsOf = ({ has_password, expires_at }: Share): string =>
  [has_password && 'password', expires_at !== null && `until ${new Date(expires_at).toLocaleDateString()}`]
    .filter(Boolean)
    .join(', ')

/** Links with what they show, how often they were used, and what ends them. */
export function ShareTable({ shares }: { shares: readonly Share[] }) {
  const { run, refusal } = useAction((act: () => Promise<void>) => act())
  return (
    <>
      {refusal.value && <Why>{refusal.value}</Why>}
      <table class="table" aria-label="Shared links">
        <thead>
          <tr>
            <th class="margin" scope="col">
              Used
            </th>
            <th scope="col">Name</th>
            <th scope="col">Shows</th>
            <th scope="col">Of</th>
            <th scope="col">Times</th>
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shares.map((share) => (
            <tr key={share.id}>
              <td class="margin">
                {share.last_used_at === null ? 'never' : <Time at={share.last_used_at} />}
              </td>
              <th scope="row" class="top-start">
                {nameOf(share)}
              </th>
              <td class="bottom-start">
                {KINDS[share.kind]} <small>{conditionsOf(share)}</small>
              </td>
              <td class="desk">{share.created_by.name}</td>
              <td class="desk">{share.uses}</td>
              <td class="number top-end">
                {share.url !== null && (
                  <>
                    <CopyButton text={share.url} word="Copy link" kind="quiet" />
                    <Button kind="quiet" onClick={() => run(() => rotateShare(share.id))}>
                      New address
                    </Button>
                    <Button kind="quiet" onClick={() => run(() => endShare(share.id))}>
                      End
                    </Button>
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
