import { useState } from 'preact/hooks'
import { Code } from '../../components/code.tsx'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { Loading, QueryError } from '../../components/pane.tsx'
import { CopyButton, Secret } from '../../components/secret.tsx'
import type { Structure } from '../../data/records/model.ts'
import { useStructures } from '../../data/records/structures.ts'
import { isOwner, mayWrite, session } from '../../data/session.ts'
import {
  type Access,
  type ApiKey,
  changeKeyAccess,
  changeMemberAccess,
  createKey,
  type Member,
  renewLink,
  useKeys,
  useMembers,
} from '../../data/settings.ts'
import { LEVEL_LABELS, levelOf, OTHER_STRUCTURES, type Part, partsOf, withLevel } from './access-levels.ts'
import { Section } from './section.tsx'

/** Access of members and keys to the parts of the workspace. */
export function AccessSection() {
  const members = useMembers()
  const keys = useKeys()
  const structures = useStructures()
  const error = members.error ?? keys.error ?? structures.error
  return (
    <Section
      name="access"
      title="Access"
      about="Set what each person and key can see. “None” hides it. A key never exceeds its owner. New tables follow “Other tables”."
    >
      {error ? (
        <QueryError error={error} />
      ) : members.data && keys.data && structures.data ? (
        <>
          <AccessTable members={members.data} keys={keys.data} structures={structures.data} />
          {mayWrite.value && <WebsiteKey structures={structures.data} />}
        </>
      ) : (
        <Loading />
      )}
    </Section>
  )
}

/** A row of the table: a member or a key. */
interface Subject {
  readonly id: string
  readonly name: string
  readonly about: string
  readonly access: Access | undefined
  /** True if the role or scope is read-only. */
  readonly isReadOnly: boolean
  /** Undefined if this session may not change it. */
  readonly change: ((access: Access) => Promise<unknown>) | undefined
  /** True for invited members, whose setup link is revoked by a change of their access. */
  readonly hasNoSignIn?: boolean
}

const memberRow = ({ user_id: id, name, role, access, ...member }: Member): Subject => ({
  id,
  name,
  about: role,
  access,
  isReadOnly: role === 'viewer',
  change: isOwner.value && role !== 'owner' ? (next) => changeMemberAccess(id, next) : undefined,
  hasNoSignIn: !member.has_password && !member.has_passkey && !member.oidc_linked,
})

const keyRow = ({ id, name, user, scope, access }: ApiKey): Subject => ({
  id,
  name,
  about: user.id === session.value?.user.id ? 'your key' : `${user.name}’s key`,
  access,
  isReadOnly: scope === 'read',
  change: (next) => changeKeyAccess(id, next),
})

interface AccessTableProps {
  readonly members: readonly Member[]
  readonly keys: readonly ApiKey[]
  readonly structures: readonly Structure[]
}

function AccessTable({ members, keys, structures }: AccessTableProps) {
  const parts = partsOf(structures)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
    <section class="access-table" tabIndex={0} aria-label="Access of members and keys">
      <table>
        <thead>
          <tr>
            <th scope="col">Member or key</th>
            {parts.map(({ name, title }) => (
              <th scope="col" key={name} title={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...members.map(memberRow), ...keys.map(keyRow)].map((subject) => (
            <SubjectRow key={subject.id} subject={subject} parts={parts} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function SubjectRow({ subject, parts }: { subject: Subject; parts: readonly Part[] }) {
  const { id, name, about, access, isReadOnly, change, hasNoSignIn } = subject
  const [isLinkRevoked, setLinkRevoked] = useState(false)
  const action = useAction(async (part: string, level: string) => {
    await change?.(withLevel(access, part, level))
    if (hasNoSignIn) setLinkRevoked(true)
  })
  const refusal = action.refusal.value
  return (
    <>
      <tr>
        <th scope="row" title={name}>
          {name}
          <br />
          <small>{about}</small>
        </th>
        {parts.map(({ name: part, title, levels }) => {
          const granted = levelOf(access, part)
          const level = isReadOnly && granted === 'write' ? 'read' : granted
          const shown = isReadOnly
            ? levels.filter((option) => ['none', 'read', level].includes(option))
            : levels
          return (
            <td key={part} data-part={title} class={level === 'none' ? 'dim' : undefined}>
              {change ? (
                <select
                  class="input"
                  aria-label={`${title} for ${name}`}
                  value={level}
                  // Disabling the select would drop the keyboard focus.
                  aria-disabled={action.isRunning.value}
                  onChange={({ currentTarget }) => {
                    const { value } = currentTarget
                    currentTarget.value = level
                    if (!action.isRunning.value) void action.run(part, value)
                  }}
                >
                  {shown.map((option) => (
                    <option key={option} value={option}>
                      {LEVEL_LABELS[option]}
                    </option>
                  ))}
                </select>
              ) : (
                LEVEL_LABELS[level]
              )}
            </td>
          )
        })}
      </tr>
      {(refusal !== undefined || isLinkRevoked) && (
        <tr>
          <td colSpan={parts.length + 1}>
            {refusal !== undefined && <ErrorText>{refusal}</ErrorText>}
            {isLinkRevoked && <NewLink userId={id} name={name} />}
          </td>
        </tr>
      )}
    </>
  )
}

/** Offers a new setup link, because a change of access has revoked the earlier one. */
function NewLink({ userId, name }: { userId: string; name: string }) {
  const [link, setLink] = useState<string>()
  const action = useAction(async () => setLink((await renewLink(userId)).link))
  if (link !== undefined)
    return (
      <Secret
        title={`Send this link to ${name}. It works once, within 30 minutes, and will not be shown again.`}
        label={`Setup link for ${name}`}
        text={link}
      />
    )
  return (
    <>
      <p role="status">
        Changing access revoked the setup link of {name}.{' '}
        <Button kind="quiet" disabled={action.isRunning.value} onClick={() => void action.run()}>
          Create a new link
        </Button>
      </p>
      {action.refusal.value !== undefined && <ErrorText>{action.refusal.value}</ErrorText>}
    </>
  )
}

const exampleOf = (field: Structure['fields'][number] | undefined): string =>
  JSON.stringify({ [field?.key ?? 'name']: field?.type === 'number' ? 1 : 'text' })

/** Code for a website that uses the key. */
const snippetFor = ({ id, fields }: Structure, secret: string): string =>
  `await fetch('${location.origin}/v1/records', {
  method: 'POST',
  headers: { authorization: 'Bearer ${secret}', 'content-type': 'application/json' },
  body: JSON.stringify({ structure: '${id}', data: ${exampleOf(fields.find(({ hidden }) => !hidden))} }),
})`

/** Creates a key that can only add rows to one table, so it may be published. */
function WebsiteKey({ structures }: { structures: readonly Structure[] }) {
  const [created, setCreated] = useState<{ structure: Structure; secret: string }>()
  const [selectedId, setSelectedId] = useState(structures[0]?.id)
  const structure = structures.find(({ id }) => id === selectedId) ?? structures[0]
  const action = useAction(async () => {
    if (!structure) return
    const { secret } = await createKey({
      name: `Website: ${structure.name}`.slice(0, 500),
      scope: 'write',
      expires_at: null,
      access: {
        notes: 'none',
        files: 'none',
        structures: { [OTHER_STRUCTURES]: 'none', [structure.id]: 'add' },
      },
    })
    setCreated({ structure, secret })
  })
  if (!structure) return null
  const refusal = action.refusal.value
  return (
    <>
      <h3>A key for a website</h3>
      <p class="dim">Can only add rows to one table, so it is safe in a public page.</p>
      <div class="line-form">
        <div class="field">
          <label class="label" for="website-structure">
            Table
          </label>
          <select
            id="website-structure"
            class="input"
            value={structure.id}
            onChange={({ currentTarget }) => setSelectedId(currentTarget.value)}
          >
            {structures.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <Button disabled={action.isRunning.value} onClick={() => void action.run()}>
          Create website key
        </Button>
      </div>
      {refusal !== undefined && <ErrorText>{refusal}</ErrorText>}
      {created && (
        <>
          <Secret
            title={`This key adds rows to ${created.structure.name}. Copy it now; it will not be shown again.`}
            label={`Website key for ${created.structure.name}`}
            text={created.secret}
          />
          <p class="dim">
            Add this code to your page, and start the server with <code>--cors-origin</code> set to the page’s
            address. <CopyButton text={snippetFor(created.structure, created.secret)} word="Copy code" />
          </p>
          <Code label="Code for the website" text={snippetFor(created.structure, created.secret)} />
        </>
      )}
    </>
  )
}
