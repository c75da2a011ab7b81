import { changesTool } from './tools/changes.ts'
import { describeTool } from './tools/describe.ts'
import { listNotesTool, readNoteTool } from './tools/notes-read.ts'
import { createNoteTool, editNoteTool, updateNoteTool } from './tools/notes-write.ts'
import { readFileTool } from './tools/read-file.ts'
import { historyTool, queryRecordsTool, summarizeTool, writeRecordsTool } from './tools/records.ts'
import { searchTool } from './tools/search.ts'
import { deleteTool, undoTool } from './tools/undo.ts'

export { listResources, readNoteText } from './resources.ts'
export { readInstructions } from './tools/describe.ts'

export const { operation: changes } = changesTool
export const { operation: createNote } = createNoteTool
export const { operation: deleteObject } = deleteTool
export const { operation: describe } = describeTool
export const { operation: editNote } = editNoteTool
export const { operation: history } = historyTool
export const { operation: listNotes } = listNotesTool
export const { operation: queryRecords } = queryRecordsTool
export const { operation: readFile } = readFileTool
export const { operation: readNote } = readNoteTool
export const { operation: search } = searchTool
export const { operation: summarize } = summarizeTool
export const { operation: undo } = undoTool
export const { operation: updateNote } = updateNoteTool
export const { operation: writeRecords } = writeRecordsTool
