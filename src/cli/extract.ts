import { type Command, WrongUsage } from './command.ts'

/** Loaded late: nothing else needs them. */
const kinds = () => import('../files/extraction/kinds.ts')
const extraction = () => import('../files/extraction/child.ts')

/** What daybook starts itself with to read the text of a file in a process of its own; not for people. */
export const extract: Command = {
  name: 'extract',
  summary: 'Read the text of a file from standard input; daybook runs this itself.',
  parameters: ['<kind>', '<seconds>', '<mebibytes>'],
  flags: [],
  examples: ['daybook extract pdf 60 512 < handbook.pdf'],
  run: async ({ args: [kind = '', seconds, mebibytes] }) => {
    const { isKind } = await kinds()
    if (!isKind(kind)) throw new WrongUsage(`There is no kind of file "${kind}".`)
    const { readStandardInput } = await extraction()
    return readStandardInput(kind, { seconds: Number(seconds), mebibytes: Number(mebibytes) })
  },
}
