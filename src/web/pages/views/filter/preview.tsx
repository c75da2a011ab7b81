import { ErrorText } from '../../../components/form.tsx'
import { api } from '../../../data/api.ts'
import { counted } from '../../../data/formats.ts'
import { useQuery } from '../../../data/use-query.ts'
import { sentenceOf } from './sentence.ts'
import type { Definitions, Tree } from './tree.ts'

const EVERYTHING: Tree = { type: 'group', match: 'all', children: [] }

/** The filter as a sentence, and the number of matching notes. */
export function Preview({ filter, definitions }: { filter: Tree | null; definitions: Definitions }) {
  const { data, error } = useQuery(['note tag property', 'count', filter], ({ signal }) =>
    api.post('/v1/notes/query', {
      body: { filter: filter ?? EVERYTHING, limit: 1, offset: 0, content: false },
      signal,
    }),
  )
  return (
    <div class="preview">
      <p class="sentence">{sentenceOf(filter, definitions)}</p>
      {error ? (
        <ErrorText>{error.message}</ErrorText>
      ) : (
        <p role="status" class="count">
          {data ? counted(data.total, 'note') : 'Counting…'}
        </p>
      )}
    </div>
  )
}
