import { Code } from '../../components/code.tsx'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { QueryResult } from '../../components/pane.tsx'
import { CopyButton } from '../../components/secret.tsx'
import { Time } from '../../components/time.tsx'
import { type Access, listOf, type Scope } from '../../data/settings.ts'
import { address } from '../../router.ts'
import { Section } from './section.tsx'

/** An app that a user connected with OAuth. */
interface ConnectedApp {
  readonly id: string
  readonly client: { readonly name: string; readonly host: string }
  readonly scope: Scope
  readonly access: Access | null
  readonly user: { readonly id: string; readonly name: string }
  readonly created_at: string
  readonly last_used_at: string | null
}

const apps = listOf<'grants', ConnectedApp>('grants')

/** The apps that use the workspace for a user, and the address that connects another one. */
export function ConnectedApps() {
  const known = apps.use()
  const url = `${location.origin}/mcp`
  return (
    <Section
      name="apps"
      title="Connected apps"
      about="Assistants that support MCP connect with this address. You sign in here and choose what the app can reach; it acts as you."
    >
      <Code label="Address for apps" text={url} />
      <p>
        <CopyButton text={url} />
      </p>
      <QueryResult query={known}>
        {(listed) =>
          listed.length === 0 ? <p class="dim">No connected apps yet.</p> : <AppTable listed={listed} />
        }
      </QueryResult>
    </Section>
  )
}

const AppTable = ({ listed }: { listed: readonly ConnectedApp[] }) => (
  <table class="table" aria-label="Connected apps">
    <thead>
      <tr>
        <th class="margin" scope="col">
          Last used
        </th>
        <th scope="col">Name</th>
        <th scope="col">Access</th>
        <th scope="col">Host</th>
        <th scope="col">User</th>
        <th scope="col">
          <span class="visually-hidden">Actions</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {listed.map((app) => (
        <Row key={app.id} app={app} />
      ))}
    </tbody>
  </table>
)

const LEVELS: Readonly<Record<string, string>> = { add: 'add rows' }

/** The parts of an access that are narrowed: "notes: read, tables: none". */
function narrowed({ notes, files, structures = {} }: Access): string {
  const parts = [
    ['notes', notes],
    ['files', files],
    ['tables', structures['*']],
  ] as const
  return parts
    .filter(([, level]) => level !== undefined && level !== 'write')
    .map(([name, level = '']) => `${name}: ${LEVELS[level] ?? level}`)
    .join(', ')
}

function Row({ app: { id, client, scope, access, user, last_used_at } }: { app: ConnectedApp }) {
  const { run, isRunning, refusal } = useAction(() => apps.change('DELETE', `/${id}`))
  return (
    <tr>
      <td class="margin">{last_used_at === null ? 'never' : <Time at={last_used_at} />}</td>
      <th scope="row" class="top-start">
        {client.name}
      </th>
      <td class="bottom-start">
        {scope === 'read' ? 'read' : 'read and write'}
        {access && <small> {narrowed(access)}</small>}
      </td>
      <td class="bottom-end">{client.host}</td>
      <td class="desk">{user.name}</td>
      <td class="number top-end">
        {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
        <a
          class="button quiet"
          href={address(['changes'], { who: `mcp-${user.id} ${client.name}` })}
          aria-label={`Changes by ${client.name}`}
        >
          Changes
        </a>
        <Button
          kind="quiet"
          aria-label={`Disconnect ${client.name}`}
          disabled={isRunning.value}
          onClick={() => void run()}
        >
          Disconnect
        </Button>
      </td>
    </tr>
  )
}
