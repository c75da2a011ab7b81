import { Code } from '../../components/code.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Button, useAction } from '../../components/form.tsx'
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
        {(listed) => (
          <DataTable
            label="Connected apps"
            columns={COLUMNS}
            items={listed}
            keyOf={({ id }) => id}
            useRow={useRow}
            errorOf={(_, { refusal }) => refusal.value}
            empty={<p class="dim">No connected apps yet.</p>}
          />
        )}
      </QueryResult>
    </Section>
  )
}

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

const useRow = ({ id }: ConnectedApp) => useAction(() => apps.change('DELETE', `/${id}`))

const COLUMNS: readonly Column<ConnectedApp, ReturnType<typeof useRow>>[] = [
  {
    label: 'Last used',
    corner: 'margin',
    cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <Time at={last_used_at} />),
  },
  { label: 'Name', corner: 'top-start', isRowHeading: true, cell: ({ client }) => client.name },
  {
    label: 'Access',
    corner: 'bottom-start',
    cell: ({ scope, access }) => (
      <>
        {scope === 'read' ? 'read' : 'read and write'}
        {access && <small> {narrowed(access)}</small>}
      </>
    ),
  },
  { label: 'Host', corner: 'bottom-end', cell: ({ client }) => client.host },
  { label: 'User', corner: 'desk', cell: ({ user }) => user.name },
  {
    label: 'Actions',
    isLabelHidden: true,
    corner: 'top-end',
    isNumber: true,
    cell: ({ client, user }, { run, isRunning }) => (
      <>
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
      </>
    ),
  },
]
