import { isObject, type JsonObject } from '../../../lib/json.ts'
import { fail, namingPlace, Refusal, refused } from '../../../lib/refusal.ts'
import { storableJson } from '../../../lib/storable-json.ts'
import { counted } from '../../../lib/text.ts'
import { type Command, flag, PRINTING_FLAGS, textFlag } from '../../command.ts'
import type { Io } from '../../io.ts'
import { type CallOperation, checkStructure, inWorkspace } from '../../open-database.ts'
import { show } from '../../output.ts'
import { STDIN, textOf } from '../../read-input.ts'

const writing = () => import('../../../records/rows/writing/write-records.ts')

const BATCH_SIZE = 500
const MAX_LINE_LENGTH = 10_485_760

/** A line that is not empty, with its 1-based number. */
interface Line {
  readonly number: number
  readonly text: string
}

function dataOf({ number, text }: Line): JsonObject {
  return namingPlace(`Line ${number}`, '', () => {
    const data = storableJson(text, 'it')
    return isObject(data) ? data : fail(refused('it must be a JSON object, such as {"amount": 12.5}.'))
  })
}

/** The lines in batches. Lines that have arrived are not delayed until a batch is full. */
async function* batchesOf(io: Io, file: string): AsyncGenerator<readonly Line[]> {
  let rest = ''
  let number = 0
  const linesIn = (texts: readonly string[]) =>
    texts.map((text): Line => ({ number: ++number, text: text.trim() })).filter(({ text }) => text !== '')
  for await (const chunk of textOf(io, file)) {
    const texts = (rest + chunk).split('\n')
    rest = texts.pop() ?? ''
    if (rest.length > MAX_LINE_LENGTH)
      throw refused(`Line ${number + 1 + texts.length}: it is longer than 10 MiB.`)
    const lines = linesIn(texts)
    for (let at = 0; at < lines.length; at += BATCH_SIZE) yield lines.slice(at, at + BATCH_SIZE)
  }
  const last = linesIn([rest])
  if (last.length > 0) yield last
}

interface Counts {
  inserted: number
  updated: number
}

interface Target {
  readonly call: CallOperation
  readonly structure: string
  readonly on_conflict: 'refuse' | 'update'
}

/** Writes one batch atomically. Refusals name the line. */
async function writeBatch({ call, ...request }: Target, batch: readonly Line[], counts: Counts) {
  const { writeLines } = await writing()
  const rows = batch.map((line) => ({ data: dataOf(line) }))
  const written = await call(writeLines, { ...request, rows, numbers: batch.map(({ number }) => number) })
  counts.inserted += written.inserted
  counts.updated += written.updated
}

export const recordsAdd: Command = {
  name: 'records add',
  summary: 'Write rows from lines of JSON, from a file or from standard input.',
  parameters: ['<structure>', '[file.jsonl | -]'],
  flags: [
    flag('--on-conflict <what>', 'refuse or update (default refuse)', { choices: ['refuse', 'update'] }),
    ...PRINTING_FLAGS,
  ],
  remarks: [
    'Each line is one object: the data of a row, by field key. Works while a server runs, which notifies watches and',
    'webhooks. Lines are written as they arrive, up to 500 in one transaction; a line that is refused ends the command',
    'with exit code 1, and the message says how many rows were written before it.',
  ],
  examples: [
    `echo '{"what": "Paper", "amount": 12.5}' | daybook records add Expenses`,
    'daybook records add Expenses june.jsonl',
  ],
  run: (input, io) =>
    inWorkspace(input, io, async (db, caller, call) => {
      const [structure = '', file = STDIN] = input.args
      const on_conflict = textFlag(input, 'on-conflict') === 'update' ? 'update' : 'refuse'
      const target: Target = { call, structure, on_conflict }
      const counts: Counts = { inserted: 0, updated: 0 }
      await checkStructure(db, caller, structure)
      try {
        for await (const batch of batchesOf(io, file)) await writeBatch(target, batch, counts)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        throw new Refusal(error.code, `${error.message} ${wordsOf(counts)} before it, none after.`)
      }
      return show(input, io, counts, () => io.status(`${wordsOf(counts)}.\n`))
    }),
}

const wordsOf = ({ inserted, updated }: Counts) => `${counted(inserted, 'row')} inserted, ${updated} updated`
