import { type Command, WrongUsage } from '../command.ts'

/** Imported only when needed. */
const kinds = () => import('../../files/extraction/kinds.ts')
const extraction = () => import('../../files/extraction/process.ts')

/** Started by daybook itself, to extract the text of a file in a separate process. */
export const extract: Command = {
  name: 'extract',
  summary: 'Read the text of a file from standard input; daybook runs this itself.',
  parameters: ['<kind>', '<seconds>', '<mebibytes>'],
  flags: [],
  examples: ['daybook extract pdf 60 512 < handbook.pdf'],
  run: async ({ args: [kind = '', seconds, mebibytes] }) => {
    const { isKind } = await kinds()
    if (!isKind(kind)) throw new WrongUsage(`There is no kind of file "${kind}".`)
    const { runExtraction } = await extraction()
    return runExtraction(kind, { seconds: Number(seconds), mebibytes: Number(mebibytes) })
  },
}
