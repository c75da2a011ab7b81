import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { FileWriter } from '../../../files/new-file.ts'
import { refuseTooLarge } from '../../../files/size-limit.ts'
import type { FileRow } from '../../../files/store.ts'
import { systemClock } from '../../../lib/clock.ts'
import { Refusal, refused } from '../../../lib/refusal.ts'
import { systemRefusal } from '../../../transfer/read-file.ts'
import {
  type Command,
  DB_FLAG,
  flag,
  PRINTING_FLAGS,
  textFlag,
  WORKSPACE_FLAG,
  WrongUsage,
} from '../../command.ts'
import type { Io } from '../../io.ts'
import { inWorkspace } from '../../open-database.ts'
import { listCommand, printJson } from '../../output.ts'
import { STDIN } from '../../read-input.ts'

const service = () => import('../../../files/service.ts')
const present = () => import('../../../files/present.ts')
const store = () => import('../../../files/store.ts')

/** Reads a file. Folders and oversized files are refused before anything is read. */
function readOriginal(path: string): Uint8Array {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats) throw refused(`There is no file ${path}.`)
    if (!stats.isFile()) throw refused(`${path} is not a file.`)
    refuseTooLarge(stats.size)
    return readFileSync(path)
  } catch (error) {
    throw systemRefusal(error, path) ?? error
  }
}

/** The added file; undefined for a refusal, which is printed on stderr. */
async function tryToAdd(
  writer: FileWriter,
  io: Io,
  noteId: string | null,
  path: string,
  fileName: string,
): Promise<FileRow | undefined> {
  const { addFile } = await import('../../../files/new-file.ts')
  try {
    const bytes = path === STDIN ? await io.readAll() : readOriginal(path)
    refuseTooLarge(bytes.byteLength)
    return await addFile(writer, { fileName, noteId, bytes })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    io.err(`${path}: refused. ${error.message}\n`)
    return undefined
  }
}

function stateOf({ status, pages, error }: Pick<FileRow, 'status' | 'pages' | 'error'>): string {
  if (status === 'failed') return `failed. ${error}`
  if (status === 'processing') return 'processing; a running server continues'
  if (pages === 0) return 'ready, without text'
  return `ready, ${pages} page${pages === 1 ? '' : 's'}`
}

const filesAdd: Command = {
  name: 'files add',
  summary: 'Add files to a workspace and extract their text.',
  parameters: ['<path…>'],
  flags: [
    flag('--note <id>', 'attach them to this note'),
    flag('--name <name>', 'the name of the file that comes from standard input'),
    ...PRINTING_FLAGS,
  ],
  remarks: [
    'At most 50 MiB each. Text is extracted from txt, md, csv, json, html, pdf, docx, xlsx, pptx, rtf; other files are',
    'stored too. A server that runs on the database extracts the text, otherwise this command',
    'does. Prints the id of every added file on stdout and its state on stderr. Exits 1 when a file was refused.',
  ],
  examples: [
    'daybook files add handbook.pdf',
    'curl -s https://example.com/report.pdf | daybook files add - --name report.pdf',
    'daybook files add --note 019aa1f2-7c3e-7001-8a4b-6f0c2d9e1b35 *.xlsx',
  ],
  run: (input, io) => {
    const name = textFlag(input, 'name')
    if (input.args.includes(STDIN) !== (name !== undefined))
      throw new WrongUsage('--name <name> is for a file from standard input ("-") and required there.')
    return inWorkspace(input, io, async (db, caller, call) => {
      const { waitForText } = await import('../../../files/text-extraction.ts')
      const writer = { db, run: call }
      const noteId = textFlag(input, 'note') ?? null
      const added: FileRow[] = []
      for (const path of input.args) {
        const file = await tryToAdd(writer, io, noteId, path, path === STDIN ? (name ?? '') : basename(path))
        if (file) added.push(file)
      }
      const files: FileRow[] = []
      for (const file of added) {
        const read = await waitForText({ db, clock: systemClock }, caller, file)
        io.status(`${read.fileName}: ${stateOf(read)}.\n`.replace(/\.\.\n$/, '.\n'))
        if (!input.flags.json) io.out(`${read.id}\n`)
        files.push(read)
      }
      if (input.flags.json) printJson(io, { files: files.map((await present()).presentFile) })
      return added.length === input.args.length ? 0 : 1
    })
  },
}

const filesList = listCommand({
  of: 'files',
  summary: 'List the files of a workspace, oldest first.',
  flags: [WORKSPACE_FLAG],
  read: (input, io) =>
    inWorkspace(input, io, async (db, caller) =>
      (await store()).listFileRows(db, caller).map((await present()).presentFile),
    ),
  columns: {
    ID: ({ id }) => id,
    NAME: ({ file_name }) => file_name,
    BYTES: ({ size }) => String(size),
    NOTE: ({ note_id }) => note_id ?? '-',
    STATE: stateOf,
  },
})

const filesDelete: Command = {
  name: 'files delete',
  summary: 'Delete a file and its text permanently.',
  parameters: ['<id>'],
  flags: [WORKSPACE_FLAG, DB_FLAG],
  remarks: [
    'Works while a server runs. Links to the file in notes, and fields of records that refer to it, stay unchanged.',
  ],
  examples: ['daybook files delete 019aa1f2-7c3e-7001-8a4b-6f0c2d9e1b35'],
  run: (input, io) =>
    inWorkspace(input, io, async (db, caller, call) => {
      const [{ deleteFile, getFile }, { fileDetachment }, { settle }] = await Promise.all([
        service(),
        import('../../../files/deletion.ts'),
        import('../../../kernel/job-steps.ts'),
      ])
      const { pk, id, fileName } = getFile(db, caller, input.args[0] ?? '')
      await call(deleteFile, { id })
      // No server may be running to detach it later.
      await settle({ db }, fileDetachment, pk)
      io.status(`The file "${fileName}" was deleted.\n`)
      return 0
    }),
}

export const filesCommands: readonly Command[] = [filesAdd, filesList, filesDelete]
