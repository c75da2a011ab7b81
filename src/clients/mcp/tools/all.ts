import { published } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { changesTool } from './changes.ts'
import { describeTool } from './describe.ts'
import { listNotesTool, readNoteTool } from './notes-read.ts'
import { createNoteTool, editNoteTool, updateNoteTool } from './notes-write.ts'
import { readFileTool } from './read-file.ts'
import { historyTool, queryRecordsTool, summarizeTool, writeRecordsTool } from './records.ts'
import { searchTool } from './search.ts'
import { deleteTool, undoTool } from './undo.ts'

/** In listing order: read tools first. */
const TOOLS: readonly Tool[] = [
  searchTool,
  listNotesTool,
  readNoteTool,
  readFileTool,
  describeTool,
  queryRecordsTool,
  summarizeTool,
  changesTool,
  historyTool,
  createNoteTool,
  editNoteTool,
  updateNoteTool,
  writeRecordsTool,
  deleteTool,
  undoTool,
]

const byName = new Map(TOOLS.map((tool) => [tool.name, tool]))

export const findTool = (name: string): Tool | undefined => byName.get(name)

interface ListedSchema {
  [keyword: string]: unknown
  type: 'object'
}

const listed = ({ name, description, writes, isDestructive = false, input, output }: Tool) => ({
  name,
  description,
  inputSchema: published(input) as ListedSchema,
  outputSchema: published(output) as ListedSchema,
  annotations: writes
    ? { readOnlyHint: false, destructiveHint: isDestructive, openWorldHint: false }
    : { readOnlyHint: true, openWorldHint: false },
})

const ALL = TOOLS.map(listed)
const READING = TOOLS.filter(({ writes }) => !writes).map(listed)

/** The tools as clients see them: all, or only the read tools for callers that may not write. */
export const listTools = ({ mayWrite }: { mayWrite: boolean }) => (mayWrite ? ALL : READING)
