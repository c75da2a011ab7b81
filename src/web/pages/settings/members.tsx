import { useSignal } from '@preact/signals'
import { confirm } from '../../components/confirm.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Button, Field, useAction } from '../../components/form.tsx'
import { QueryResult } from '../../components/pane.tsx'
import { Secret } from '../../components/secret.tsx'
import { Time } from '../../components/time.tsx'
import { useStructures } from '../../data/records/structures.ts'
import { isOwner, type Role, session } from '../../data/session.ts'
import {
  type Access,
  addMember,
  changeRole,
  type Member,
  removeMember,
  renewLink,
  useMembers,
} from '../../data/settings.ts'
import { LEVEL_LABELS, levelOf, partsOf, withLevel } from './access-levels.ts'
import { LineForm, textOf } from './line-form.tsx'
import { Section } from './section.tsx'

const ROLES: readonly Role[] = ['viewer', 'editor', 'owner']

interface CreatedLink {
  readonly name: string
  /** Null for an existing user, who already has a way to sign in. */
  readonly link: string | null
  /** True if the user already existed on this server. */
  readonly isExisting?: boolean
}

/** Members of the workspace, managed by its owners. */
export function Members() {
  const members = useMembers()
  const made = useSignal<CreatedLink | undefined>(undefined)
  return (
    <Section
      name="members"
      title="Members"
      about="Viewers can read, editors can also write, and owners can also manage the workspace. A workspace always has an owner."
    >
      <QueryResult query={members}>
        {(known) => (
          <>
            <MemberTable members={known} made={made} />
            {isOwner.value && <NewMember made={made} />}
          </>
        )}
      </QueryResult>
      {made.value && <Link {...made.value} />}
    </Section>
  )
}

const askToRemove = ({ user_id, name }: Member): Promise<boolean> =>
  confirm({
    title: `Remove ${name}`,
    consequence:
      'Their sessions and keys in this workspace stop working at once. Everything they wrote stays.',
    undo: 'You can add them again, but their sessions and keys do not return.',
    action: 'Remove member',
    word: name,
    act: () => removeMember(user_id),
  })

const Link = ({ name, link, isExisting }: CreatedLink) => (
  <>
    {isExisting && (
      <p role="status">
        <span class="status warn">{`${name} already has an account on this server`}</span> and is now a member
        {link === null && ', signing in as before'}. Make sure this is the right person.
      </p>
    )}
    {link !== null && (
      <Secret
        title={`Send this link to ${name}. It works once, within 30 minutes, and will not be shown again.`}
        label={`Setup link for ${name}`}
        text={link}
      />
    )}
  </>
)

function NewMember({ made }: { made: { value: CreatedLink | undefined } }) {
  const role = useSignal<Role>('viewer')
  const access = useSignal<Access | undefined>(undefined)
  const action = useAction(async (data: FormData) => {
    const { member, link, notice } = await addMember({
      name: textOf(data, 'name'),
      role: role.value,
      ...(access.value && role.value !== 'owner' && { access: access.value }),
    })
    made.value = { name: member.name, link, isExisting: notice !== undefined }
    access.value = undefined
  })
  return (
    <>
      <LineForm action={action} submit="Add member">
        <Field
          label="New member’s name"
          name="name"
          required
          maxLength={200}
          autocomplete="off"
          error={action.refusal.value}
        />
        <p class="field">
          <label for="new-role">Role</label>
          <select
            class="input"
            id="new-role"
            name="role"
            value={role.value}
            onChange={({ currentTarget }) => {
              role.value = ROLES.find((known) => known === currentTarget.value) ?? 'viewer'
            }}
          >
            {ROLES.map((known) => (
              <option key={known}>{known}</option>
            ))}
          </select>
        </p>
      </LineForm>
      {role.value !== 'owner' && <NewAccess access={access} isReadOnly={role.value === 'viewer'} />}
      <small>
        If this name already has an account on this server, that account is added and keeps its password.
      </small>
    </>
  )
}

interface NewAccessProps {
  readonly access: { value: Access | undefined }
  readonly isReadOnly: boolean
}

/** The access of a new member, set before their link is created. */
function NewAccess({ access, isReadOnly }: NewAccessProps) {
  const { data: structures = [] } = useStructures()
  return (
    <details class="more">
      <summary class="button quiet">Limit access…</summary>
      <div class="new-access">
        {partsOf(structures).map(({ name, title, levels }) => {
          const granted = levelOf(access.value, name)
          const level = isReadOnly && granted === 'write' ? 'read' : granted
          const shown = isReadOnly
            ? levels.filter((option) => ['none', 'read', level].includes(option))
            : levels
          return (
            <label key={name} class="field">
              <span>{title}</span>
              <select
                class="input"
                value={level}
                onChange={({ currentTarget }) => {
                  access.value = withLevel(access.value, name, currentTarget.value)
                }}
              >
                {shown.map((option) => (
                  <option key={option} value={option}>
                    {LEVEL_LABELS[option]}
                  </option>
                ))}
              </select>
            </label>
          )
        })}
      </div>
    </details>
  )
}

/** Sign-in methods of a member, unless a password is the only one. */
function SignInMethods({ member: { has_password, has_passkey, oidc_linked } }: { member: Member }) {
  const otherMethods = [has_passkey && 'passkey', oidc_linked && 'provider'].filter(Boolean)
  if (!has_password && otherMethods.length === 0) return <span class="status warn">no password yet</span>
  if (otherMethods.length === 0) return null
  return <small>{[has_password && 'password', ...otherMethods].filter(Boolean).join(', ')}</small>
}

interface MemberTableProps {
  readonly members: readonly Member[]
  readonly made: { value: CreatedLink | undefined }
}

function MemberTable({ members, made }: MemberTableProps) {
  const owners = members.filter(({ role }) => role === 'owner').length
  const useRow = (member: Member) => ({
    isLastOwner: member.role === 'owner' && owners === 1,
    role: useAction((to: Role) => changeRole(member.user_id, to)),
    link: useAction(async () => {
      made.value = { name: member.name, link: (await renewLink(member.user_id)).link }
    }),
  })
  return (
    <DataTable
      label="Members"
      look="with-actions"
      columns={COLUMNS}
      items={members}
      keyOf={({ user_id }) => user_id}
      useRow={useRow}
      errorOf={(_, { link, role }) => link.refusal.value ?? role.refusal.value}
    />
  )
}

interface RowState {
  readonly isLastOwner: boolean
  readonly role: ReturnType<typeof useAction<[Role]>>
  readonly link: ReturnType<typeof useAction<[]>>
}

const isSelf = ({ user_id }: Member): boolean => user_id === session.value?.user.id

const COLUMNS: readonly Column<Member, RowState>[] = [
  { label: 'Joined', corner: 'margin', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    label: 'Name',
    corner: 'top-start',
    isRowHeading: true,
    cell: (member) => (
      <>
        {member.name} {isSelf(member) && <span class="dim">you</span>} <SignInMethods member={member} />
      </>
    ),
  },
  {
    label: 'Role',
    corner: 'bottom-start',
    cell: (member, { isLastOwner, role }) =>
      isOwner.value && !isLastOwner ? (
        <select
          class="input"
          aria-label={`Role of ${member.name}`}
          value={member.role}
          disabled={role.isRunning.value}
          onChange={({ currentTarget }) => {
            const to = ROLES.find((known) => known === currentTarget.value) ?? member.role
            currentTarget.value = member.role
            void role.run(to)
          }}
        >
          {ROLES.map((known) => (
            <option key={known}>{known}</option>
          ))}
        </select>
      ) : (
        member.role
      ),
  },
  {
    label: 'Actions',
    isLabelHidden: true,
    corner: 'top-end',
    isNumber: true,
    cell: (member, { isLastOwner, link }) =>
      isOwner.value && (
        <>
          {!isSelf(member) && (
            <Button
              kind="quiet"
              aria-label={`New link for ${member.name}`}
              disabled={link.isRunning.value}
              onClick={() => void link.run()}
            >
              New link
            </Button>
          )}
          {isLastOwner ? (
            <small>only owner</small>
          ) : (
            <Button
              kind="quiet"
              aria-label={`Remove ${member.name}`}
              onClick={() => void askToRemove(member)}
            >
              Remove
            </Button>
          )}
        </>
      ),
  },
]
