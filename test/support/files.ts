import { commandCaller } from '../../src/cli/open-database.ts'
import type { Section } from '../../src/files/extraction/pages.ts'
import { addFile, type FileWriter, replaceFileContent } from '../../src/files/new-file.ts'
import { deleteFile as deletion } from '../../src/files/service.ts'
import { findFile, insertFile, insertPart } from '../../src/files/store.ts'
import { claimFile, extractText, saveResult } from '../../src/files/text-extraction.ts'
import type { Caller } from '../../src/kernel/caller.ts'
import { systemAuthor } from '../../src/log/log.ts'
import { getWorkspaceOrOnly } from '../../src/people/accounts/workspaces.ts'
import type { Db } from '../../src/storage/database.ts'
import type { Client, TestService } from './service.ts'

export interface NewTestFile {
  name?: string
  noteId?: string | null
  /** The extracted text. Without it, the file stays unread. */
  pages?: string[]
  outline?: Section[]
  /** The reason why text extraction failed. */
  failed?: string
  bytes?: Uint8Array
}

async function callerOf(db: Db, client: Client) {
  const { body } = await client.get('/v1/workspace')
  return commandCaller(getWorkspaceOrOnly(db, body.workspace.name))
}

/** Writes files as a caller whose permissions do not end. */
export const fileWriter = ({ db, kernel }: TestService['ctx'], caller: Caller): FileWriter => ({
  db,
  run: (operation, input) => kernel.callAs(caller, operation, input),
})

/** Adds a file as the command line does, with the given text instead of extraction; returns its id. */
export async function makeFile(
  service: TestService,
  { name = 'file.txt', noteId = null, ...file }: NewTestFile = {},
  client: Client = service,
): Promise<string> {
  const { db } = service.ctx
  const bytes = file.bytes ?? new TextEncoder().encode(file.pages?.join('\n') ?? '')
  const added = await addFile(fileWriter(service.ctx, await callerOf(db, client)), {
    fileName: name,
    noteId,
    bytes,
  })
  if (file.pages === undefined && file.failed === undefined) return added.id
  const claim = await db.write((tx) => claimFile(tx, added.pk))
  if (!claim) throw new Error('the file that was just added cannot be claimed')
  const { pages = [], outline = [], failed } = file
  await saveResult(db, claim, failed === undefined ? { pages, outline } : { failed })
  return added.id
}

/** Deletes a file of the first workspace as a command does. */
export const deleteFile = ({ ctx }: TestService, id: string) =>
  ctx.kernel.callAs(commandCaller({ pk: 1, id: '' }), deletion, { id })

/** Extracts the text of a file for real, in a separate process. */
export async function readFile(service: TestService, id: string): Promise<void> {
  const { db } = service.ctx
  const file = findFile(db, await callerOf(db, service), id)
  const claim = file && (await db.write((tx) => claimFile(tx, file.pk)))
  if (!claim) throw new Error(`the file ${id} cannot be claimed`)
  await extractText(db, claim)
}

/** Leaves the first part of a file whose sender was killed. */
export const makePartOfFile = ({ ctx }: TestService): Promise<void> =>
  ctx.db.write((tx): void => {
    const row = { id: tx.newId(), workspace: 1, note: null, fileName: 'a', mimeType: 'text/plain', size: 9 }
    insertPart(tx, insertFile(tx, row), 0, new Uint8Array(4))
  })

/** Gives a file other content, as an import that updates does. */
export const replaceFile = ({ ctx }: TestService, id: string, text: string): Promise<void> =>
  ctx.db.write((tx): void => {
    const file = findFile(tx, { workspacePk: 1, rights: undefined }, id)
    if (file) replaceFileContent(tx, systemAuthor(1), file, new TextEncoder().encode(text))
  })
