import { basename } from 'node:path'
import { checkStorable } from '../../../lib/storable-json.ts'
import { headingText } from '../../../lib/text.ts'
import { type Command, flag, type Input, PRINTING_FLAGS, textFlag } from '../../command.ts'
import type { Io } from '../../io.ts'
import { checkBody, inWorkspace } from '../../open-database.ts'
import { show } from '../../output.ts'
import { readAllText, STDIN } from '../../read-input.ts'

const operations = () => import('../../../notes/operations.ts')
const schema = () => import('../../../notes/schema.ts')

const MAX_CONTENT = 1_000_000
const MAX_TITLE = 500

/** On a terminal, a title without a file creates an empty note; piped input is read. */
async function contentOf(input: Input, io: Io): Promise<string> {
  const [file] = input.args
  if (file === undefined && io.isInputTerminal && textFlag(input, 'title') !== undefined) return ''
  if (io.isInputTerminal && (file ?? STDIN) === STDIN) io.status('Type the note; end it with Ctrl+D.\n')
  return readAllText(io, file ?? STDIN, MAX_CONTENT)
}

/** The first heading, else the name of the file, else the first line that is not empty. */
function titleOf(content: string, file: string | undefined): string {
  const [, words] = /^#{1,6}[ \t]+(\S.*)$/m.exec(content) ?? []
  const named =
    file === undefined || file === STDIN ? undefined : basename(file).replace(/\.(md|markdown|txt)$/i, '')
  const line = /\S.*/.exec(content)?.[0]
  const title = (words && headingText(words)) || named || line || ''
  return Array.from(title.replace(/\p{Cc}/gu, ' ').trim())
    .slice(0, MAX_TITLE)
    .join('')
}

const tagsOf = ({ flags }: Input): string[] => (Array.isArray(flags.tag) ? flags.tag.map(String) : [])

export const noteAdd: Command = {
  name: 'note add',
  summary: 'Create a note from a file or from standard input.',
  parameters: ['[file | -]'],
  flags: [
    flag('--title <title>', 'default: its first heading, else the file name, else its first line'),
    flag('--tag <tag>', 'add this tag; created if it does not exist', { isRepeatable: true }),
    ...PRINTING_FLAGS,
  ],
  remarks: ['Works while a server runs. Prints the id of the note. The text is stored unchanged, in UTF-8.'],
  examples: [
    'daybook note add --title "Buy tea" < /dev/null',
    'git log -1 | daybook note add --tag work',
    'daybook note add --tag meeting minutes.md',
  ],
  run: async (input, io) => {
    const content = await contentOf(input, io)
    const title = textFlag(input, 'title') ?? titleOf(content, input.args[0])
    const note = { title, content, ...(tagsOf(input).length > 0 && { tags: tagsOf(input) }) }
    checkStorable(note, 'The note')
    await checkBody((await schema()).CreateBody, note)
    return inWorkspace(input, io, async (_db, _caller, call) => {
      const { createNote } = await operations()
      const created = await call(createNote, { body: note })
      return show(input, io, { note: created.note }, () => io.out(`${created.note.id}\n`))
    })
  },
}
