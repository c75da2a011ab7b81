/** Calls every tool of the executable with the command line of the MCP inspector, over HTTP and over standard input. */
import { join } from 'node:path'
import { spawnSync } from 'bun'
import { buildWhenStale } from '../lib/executable.ts'
import { DAYBOOK, type McpServer, startServer } from './mcp-server.ts'

/** Fetched only when needed, because it is too large for a dependency of the package. */
const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0'

type Content = Record<string, unknown>
type Call = (tool: string, args: Record<string, string>) => Content

/** Runs a program to its end and returns its output; throws its error output if it fails. */
function output(command: readonly string[]): string {
  const { exitCode, stdout, stderr } = spawnSync([...command])
  if (exitCode === 0) return stdout.toString()
  throw new Error(`${command.at(-1)} failed: ${stderr}${stdout}`)
}

const inspectorPath = () =>
  output(['npx', '--yes', '--package', INSPECTOR, '--call', 'command -v mcp-inspector']).trim()

/** Creates a structure, and a file with text. */
async function fill({ url, key, db }: McpServer): Promise<{ file: string }> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const fields = [{ key: 'name', type: 'text' }]
  const body = JSON.stringify({ name: 'Items', fields })
  const { status } = await fetch(`${url}/v1/records/structures`, { method: 'POST', headers, body })
  if (status !== 201) throw new Error(`the structure was answered with ${status}`)
  const path = join(db, '..', 'page.txt')
  await Bun.write(path, 'A page to read.')
  output([DAYBOOK, 'files', 'add', path, '--db', db])
  const { files } = (await (await fetch(`${url}/v1/files`, { headers })).json()) as {
    files: { id: string }[]
  }
  return { file: files[0]?.id ?? '' }
}

/** Calls every tool once; later calls use objects of earlier ones. */
function callAll(call: Call, file: string): void {
  const { note } = call('create_note', { title: 'Inspected', content: '"one line"' }) as { note: Content }
  const id = String(note.id)
  call('edit_note', { note: id, append: '{"text":"another line"}' })
  call('update_note', { note: id, add_tags: '["seen"]' })
  call('read_note', { note: id })
  call('list_notes', {})
  call('search', { query: 'another' })
  call('read_file', { file })
  call('describe', {})
  const written = call('write_records', { structure: 'Items', rows: '[{"data":{"name":"first"}}]' })
  const [row] = written.records as Content[]
  call('query_records', { structure: 'Items' })
  call('summarize', { structure: 'Items' })
  call('history', { record: String(row?.id) })
  call('changes', {})
  call('undo', { transaction: String(written.transaction) })
  call('delete', { kind: 'note', id })
}

function inspect(command: readonly string[], file: string): number {
  const { tools } = JSON.parse(output([...command, '--method', 'tools/list'])) as {
    tools: { name: string }[]
  }
  const left = new Set(tools.map(({ name }) => name))
  callAll((tool, args) => {
    const pairs = Object.entries(args).flatMap(([name, value]) => ['--tool-arg', `${name}=${value}`])
    const printed = output([...command, '--method', 'tools/call', '--tool-name', tool, ...pairs])
    const { isError, structuredContent, content } = JSON.parse(printed)
    if (isError) throw new Error(`${tool} was refused: ${JSON.stringify(content)}`)
    left.delete(tool)
    return structuredContent
  }, file)
  if (left.size > 0) throw new Error(`never called: ${[...left].join(', ')}`)
  return tools.length
}

buildWhenStale()
const inspector = inspectorPath()
const server = await startServer()
try {
  const { file } = await fill(server)
  const { url, key, db } = server
  const http = [`${url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`]
  const stdio = ['-e', `DAYBOOK_KEY=${key}`, '-e', `DAYBOOK_DB=${db}`, DAYBOOK, 'mcp']
  for (const [name, target] of Object.entries({ HTTP: http, 'standard input': stdio }))
    process.stdout.write(`${inspect([inspector, '--cli', ...target], file)} tools answer over ${name}\n`)
} finally {
  await server.end()
}
