import { ErrorText } from '../../../components/form.tsx'
import { api } from '../../../data/api.ts'
import { counted } from '../../../data/formats.ts'
import { useQuery } from '../../../data/use-query.ts'
import { sentenceOf } from './sentence.ts'
import { asFilter, type Definitions, type Group } from './tree.ts'

/** The filter as a sentence, and the number of matching notes. */
export function Preview({ group, definitions }: { group: Group; definitions: Definitions }) {
  const { data, error } = useQuery(['note tag property', 'count', group], ({ signal }) =>
    api.post('/v1/notes/query', { body: { filter: group, limit: 1, offset: 0, content: false }, signal }),
  )
  return (
    <div class="preview">
      <p class="sentence">{sentenceOf(asFilter(group), definitions)}</p>
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
