import { Type } from '@sinclair/typebox'
import { getFileText } from '../../../files/text.ts'
import { strict } from '../../../http/schema/types.ts'
import { fileIdOf } from '../names.ts'
import { name, object, optional, output } from '../schema.ts'
import { fits } from '../text/fit.ts'
import { given, inline } from '../text/markdown.ts'
import { type Answer, readTool } from '../tool.ts'

/** The numbers of characters to try, until the answer fits. */
const LENGTHS = [40_000, 20_000, 12_000, 8_000, 5_000, 3_000, 1_500]

function answerOf(data: ReturnType<typeof getFileText>): Answer {
  const { file, pages, text, truncated, next_chunk } = data
  const more = next_chunk === null ? '' : `; go on with pages ${next_chunk}`
  const isCut = truncated && !pages.includes('-')
  return {
    text: given(
      `${inline(file.file_name)} [${file.id}], ${pages === '' ? 'no text' : `pages ${pages}`}${more}`,
      isCut && 'This page is too long to be shown whole; search finds what is further down.',
      text,
    ).join('\n'),
    data,
  }
}

export const readFileTool = readTool({
  name: 'read_file',
  covers: 'files',
  description: 'Text of a file by pages (pdf page, slide, sheet, or about 3,000 characters).',
  input: strict({ file: name('id or file name'), pages: optional(name('7 or 7-9')) }),
  output: output({
    file: object(),
    pages: Type.String(),
    text: Type.String(),
    truncated: Type.Boolean(),
    next_chunk: Type.Union([Type.String(), Type.Null()]),
  }),
  run: (snapshot, caller, { file, pages }) => {
    const id = fileIdOf(snapshot, caller, file)
    let answer: Answer | undefined
    for (const maxChars of LENGTHS) {
      answer = answerOf(getFileText(snapshot, caller, id, { pages, max_chars: maxChars }))
      if (fits(answer)) return answer
    }
    return answer ?? answerOf(getFileText(snapshot, caller, id, { pages }))
  },
})
