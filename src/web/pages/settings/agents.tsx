import { useState } from 'preact/hooks'
import { Code } from '../../components/code.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Loading, QueryError } from '../../components/pane.tsx'
import { CopyButton } from '../../components/secret.tsx'
import { Time } from '../../components/time.tsx'
import { type ApiKey, useKeys } from '../../data/settings.ts'
import { address } from '../../router.ts'
import { Section } from './section.tsx'

const KEY = 'dbk_…'

interface Client {
  readonly name: string
  /** Tells the user what to do with the configuration. */
  readonly instruction: string
  readonly config: (origin: string) => string
}

const json = (value: object): string => JSON.stringify(value, null, 2)

const header = { Authorization: `Bearer ${KEY}` }

const CLIENTS: readonly Client[] = [
  {
    name: 'Claude Code',
    instruction: 'Run this in a terminal.',
    config: (origin) =>
      `claude mcp add --transport http daybook ${origin}/mcp \\\n  --header "Authorization: Bearer ${KEY}"`,
  },
  {
    name: 'Claude Desktop',
    instruction: 'Add this to claude_desktop_config.json. It runs daybook on your own machine.',
    config: (origin) =>
      json({
        mcpServers: {
          daybook: { command: 'daybook', args: ['mcp', '--url', origin], env: { DAYBOOK_KEY: KEY } },
        },
      }),
  },
  {
    name: 'Cursor',
    instruction: 'Add this to .cursor/mcp.json.',
    config: (origin) => json({ mcpServers: { daybook: { url: `${origin}/mcp`, headers: header } } }),
  },
  {
    name: 'VS Code',
    instruction: 'Add this to .vscode/mcp.json.',
    config: (origin) =>
      json({ servers: { daybook: { type: 'http', url: `${origin}/mcp`, headers: header } } }),
  },
  {
    name: 'Other',
    instruction: 'For any MCP client: use Streamable HTTP with this header, or the stdio command.',
    config: (origin) =>
      `${origin}/mcp\nAuthorization: Bearer ${KEY}\n\nDAYBOOK_KEY=${KEY} daybook mcp --url ${origin}`,
  },
]

/** Instructions to connect an agent, and the changes made with each key. */
export function Agents() {
  const { data, error } = useKeys()
  return (
    <Section
      name="agents"
      title="Agents"
      about="Connect AI agents over MCP, each with its own key. Agents with a read-only key see no tools that write. You can undo their changes."
    >
      <Configuration />
      {error ? <QueryError error={error} /> : data ? <AgentActivity keys={data} /> : <Loading />}
    </Section>
  )
}

function Configuration() {
  const [selectedName, setSelectedName] = useState(CLIENTS[0]?.name)
  const client = CLIENTS.find(({ name }) => name === selectedName)
  if (!client) return null
  const text = client.config(location.origin)
  return (
    <>
      <div class="line-form">
        <div class="field">
          <label class="label" for="agent-client">
            Client
          </label>
          <select
            id="agent-client"
            class="input"
            value={client.name}
            onChange={({ currentTarget }) => setSelectedName(currentTarget.value)}
          >
            {CLIENTS.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
        <CopyButton text={text} />
      </div>
      <p class="dim">
        {client.instruction} <a href={address(['settings', 'keys'])}>Create a key</a> and replace{' '}
        <code>{KEY}</code> with it. Apps that sign in need no key: see{' '}
        <a href={address(['settings', 'apps'])}>Connected apps</a>.
      </p>
      <Code label={`Configuration of ${client.name}`} text={text} />
    </>
  )
}

const COLUMNS: readonly Column<ApiKey>[] = [
  {
    label: 'Last used',
    corner: 'margin',
    cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <Time at={last_used_at} />),
  },
  { label: 'Key', corner: 'top-start', isRowHeading: true, cell: ({ name }) => name },
  {
    label: 'Changes',
    isLabelHidden: true,
    corner: 'top-end',
    isNumber: true,
    cell: ({ id, name }) => (
      <a
        class="button quiet"
        href={address(['changes'], { who: `mcp-${id}` })}
        aria-label={`Changes by agents with ${name}`}
      >
        Changes
      </a>
    ),
  },
]

const AgentActivity = ({ keys }: { keys: readonly ApiKey[] }) => (
  <DataTable
    label="Keys of agents"
    columns={COLUMNS}
    items={keys}
    keyOf={({ id }) => id}
    empty={<p class="dim">No keys yet. Create one to connect an agent.</p>}
  />
)
