import { useState } from 'preact/hooks'
import { Code } from '../../components/code.tsx'
import { Failed, Loading } from '../../components/pane.tsx'
import { CopyButton } from '../../components/secret.tsx'
import { Time } from '../../components/time.tsx'
import { type ApiKey, useKeys } from '../../data/settings.ts'
import { address } from '../../router.ts'
import { Section } from './section.tsx'

const KEY = 'dbk_…'

interface Client {
  readonly name: string
  /** Where the configuration belongs. */
  readonly place: string
  /** The configuration for the server at this address. */
  readonly config: (origin: string) => string
}

const json = (value: object): string => JSON.stringify(value, null, 2)

const header = { Authorization: `Bearer ${KEY}` }

const CLIENTS: readonly Client[] = [
  {
    name: 'Claude Code',
    place: 'Run this in a terminal.',
    config: (origin) =>
      `claude mcp add --transport http daybook ${origin}/mcp \\\n  --header "Authorization: Bearer ${KEY}"`,
  },
  {
    name: 'Claude Desktop',
    place: 'In claude_desktop_config.json; it starts the program daybook on your own machine.',
    config: (origin) =>
      json({
        mcpServers: {
          daybook: { command: 'daybook', args: ['mcp', '--url', origin], env: { DAYBOOK_KEY: KEY } },
        },
      }),
  },
  {
    name: 'Cursor',
    place: 'In .cursor/mcp.json.',
    config: (origin) => json({ mcpServers: { daybook: { url: `${origin}/mcp`, headers: header } } }),
  },
  {
    name: 'VS Code',
    place: 'In .vscode/mcp.json.',
    config: (origin) =>
      json({ servers: { daybook: { type: 'http', url: `${origin}/mcp`, headers: header } } }),
  },
  {
    name: 'Another',
    place: 'Any client of MCP: Streamable HTTP with this header, or a command on standard input and output.',
    config: (origin) =>
      `${origin}/mcp\nAuthorization: Bearer ${KEY}\n\nDAYBOOK_KEY=${KEY} daybook mcp --url ${origin}`,
  },
]

/** How an agent is connected, and what each key's agent did. */
export function Agents() {
  const { data, error } = useKeys()
  return (
    <Section
      name="agents"
      title="Agents"
      about="An agent works here over MCP with a key of its own: one that may only read sees no tool that writes. Everything it changes can be undone."
    >
      <Configuration />
      {error ? <Failed error={error} /> : data ? <Deeds keys={data} /> : <Loading />}
    </Section>
  )
}

function Configuration() {
  const [chosen, setChosen] = useState(CLIENTS[0]?.name)
  const client = CLIENTS.find(({ name }) => name === chosen)
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
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          >
            {CLIENTS.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
        <CopyButton text={text} />
      </div>
      <p class="dim">
        {client.place} <a href={address(['settings', 'keys'])}>Make a key</a> and put it in the place of{' '}
        <code>{KEY}</code>.
      </p>
      <Code label={`Configuration of ${client.name}`} text={text} />
    </>
  )
}

function Deeds({ keys }: { keys: readonly ApiKey[] }) {
  if (keys.length === 0) return <p class="dim">No key can connect an agent yet.</p>
  return (
    <table class="table" aria-label="Keys of agents">
      <thead>
        <tr>
          <th class="margin" scope="col">
            Used
          </th>
          <th scope="col">Key</th>
          <th scope="col">
            <span class="visually-hidden">Changes</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map(({ id, name, last_used_at }) => (
          <tr key={id}>
            <td class="margin">{last_used_at === null ? 'never' : <Time at={last_used_at} />}</td>
            <th scope="row" class="top-start">
              {name}
            </th>
            <td class="number top-end">
              <a
                class="button quiet"
                href={address(['changes'], { who: `mcp-${id}` })}
                aria-label={`Changes by agents with ${name}`}
              >
                Changes
              </a>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
