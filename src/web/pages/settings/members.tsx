import '../../styles/with-actions.ts'
import { useSignal } from '@preact/signals'
import { Button, Field, useAction, Why } from '../../components/form.tsx'
import { TypedConfirmation } from '../../components/modal.tsx'
import { Known } from '../../components/pane.tsx'
import { Secret } from '../../components/secret.tsx'
import { Time } from '../../components/time.tsx'
import { isOwner, type Role, session } from '../../data/session.ts'
import {
  addMember,
  changeRole,
  type Member,
  removeMember,
  renewLink,
  useMembers,
} from '../../data/settings.ts'
import { LineForm, textOf } from './line-form.tsx'
import { Section } from './section.tsx'

const ROLES: readonly Role[] = ['viewer', 'editor', 'owner']

interface MadeLink {
  readonly name: string
  /** Null for someone who signs in as before. */
  readonly link: string | null
  /** Whether they had a user on this server when they were added. */
  readonly isKnown?: boolean
}

/** Who works in the workspace; owners manage them. */
export function Members() {
  const members = useMembers()
  const made = useSignal<MadeLink | undefined>(undefined)
  const removed = useSignal<Member | undefined>(undefined)
  return (
    <Section
      name="members"
      title="Members"
      about="Viewers read, editors write, owners also manage. There is always an owner."
    >
      <Known query={members}>
        {(known) => (
          <>
            <MemberTable members={known} made={made} removed={removed} />
            {isOwner.value && <NewMember made={made} />}
          </>
        )}
      </Known>
      {made.value && <Link {...made.value} />}
      {removed.value && (
        <TypedConfirmation
          title={`Remove ${removed.value.name}`}
          word={removed.value.name}
          action="Remove"
          act={() => removeMember(removed.value?.user_id ?? '')}
          onClose={() => {
            removed.value = undefined
          }}
        >
          Their sessions and keys in this workspace end at once and for good, also if they are added again.
          What they wrote stays.
        </TypedConfirmation>
      )}
    </Section>
  )
}

const Link = ({ name, link, isKnown }: MadeLink) => (
  <>
    {isKnown && (
      <p role="status">
        <span class="status warn">{`${name} already has a user on this server`}</span> and is a member now
        {link === null && ', who signs in as before'}. Make sure that it is the person you mean.
      </p>
    )}
    {link !== null && (
      <Secret
        title={`Give ${name} this link. It works once, for 30 minutes, and is shown only now.`}
        label={`Setup link of ${name}`}
        text={link}
      />
    )}
  </>
)

function NewMember({ made }: { made: { value: MadeLink | undefined } }) {
  const action = useAction(async (data: FormData) => {
    const role = ROLES.find((known) => known === data.get('role')) ?? 'viewer'
    const { member, link, notice } = await addMember({ name: textOf(data, 'name'), role })
    made.value = { name: member.name, link, isKnown: notice !== undefined }
  })
  return (
    <>
      <LineForm action={action} submit="Add member">
        <Field
          label="Name of a new member"
          name="name"
          required
          maxLength={200}
          autocomplete="off"
          why={action.refusal.value}
        />
        <p class="field">
          <label for="new-role">Role</label>
          <select class="input" id="new-role" name="role">
            {ROLES.map((role) => (
              <option key={role}>{role}</option>
            ))}
          </select>
        </p>
      </LineForm>
      <small>
        Whoever has a user of this name on this server is added with it, and keeps the password they have.
      </small>
    </>
  )
}

interface MemberTableProps {
  readonly members: readonly Member[]
  readonly made: { value: MadeLink | undefined }
  readonly removed: { value: Member | undefined }
}

function MemberTable({ members, made, removed }: MemberTableProps) {
  const owners = members.filter(({ role }) => role === 'owner').length
  return (
    <table class="table with-actions" aria-label="Members">
      <thead>
        <tr>
          <th class="margin" scope="col">
            Since
          </th>
          <th scope="col">Name</th>
          <th scope="col">Role</th>
          <th scope="col">
            <span class="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {members.map((member) => (
          <MemberRow
            key={member.user_id}
            member={member}
            isLastOwner={member.role === 'owner' && owners === 1}
            made={made}
            removed={removed}
          />
        ))}
      </tbody>
    </table>
  )
}

/** How a member may sign in; a password goes without saying where it is the only way. */
function Ways({ member: { has_password, has_passkey, oidc_linked } }: { member: Member }) {
  const others = [has_passkey && 'passkey', oidc_linked && 'provider'].filter(Boolean)
  if (!has_password && others.length === 0) return <span class="status warn">no password yet</span>
  if (others.length === 0) return null
  return <small>{[has_password && 'password', ...others].filter(Boolean).join(', ')}</small>
}

interface MemberRowProps extends Omit<MemberTableProps, 'members'> {
  readonly member: Member
  readonly isLastOwner: boolean
}

function MemberRow({ member, isLastOwner, made, removed }: MemberRowProps) {
  const isSelf = member.user_id === session.value?.user.id
  const link = useAction(async () => {
    made.value = { name: member.name, link: (await renewLink(member.user_id)).link }
  })
  const role = useAction((to: Role) => changeRole(member.user_id, to))
  const refusal = link.refusal.value ?? role.refusal.value
  return (
    <>
      <tr class={refusal === undefined ? undefined : 'trouble'}>
        <td class="margin">
          <Time at={member.created_at} />
        </td>
        <th scope="row" class="top-start">
          {member.name} {isSelf && <span class="dim">you</span>} <Ways member={member} />
        </th>
        <td class="bottom-start">
          {isOwner.value && !isLastOwner ? (
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
          )}
        </td>
        <td class="number top-end">
          {isOwner.value && (
            <>
              {!isSelf && (
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
                <small>the only owner</small>
              ) : (
                <Button
                  kind="quiet"
                  aria-label={`Remove ${member.name}`}
                  onClick={() => {
                    removed.value = member
                  }}
                >
                  Remove
                </Button>
              )}
            </>
          )}
        </td>
      </tr>
      {refusal !== undefined && (
        <tr class="note-row">
          <td colSpan={4}>
            <Why>{refusal}</Why>
          </td>
        </tr>
      )}
    </>
  )
}
