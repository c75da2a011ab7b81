import { api } from '../../data/api.ts'
import { valueText } from '../../data/records/labels.ts'
import { type Row, rowLabel, shownFields, withValueTypes } from '../../data/records/model.ts'
import { useQuery } from '../../data/use-query.ts'
import { addStyles } from '../../styles/add-styles.ts'
import styles from '../../styles/finder-preview.css' with { type: 'text' }
import { withoutMarks } from '../plain.ts'
import { Tag } from '../tag.tsx'
import { shortTime } from '../time.tsx'

addStyles(styles)

/** Lines of a note, and fields of a row, that fit into the preview. */
const MAX_LINES = 40
const MAX_CHARACTERS = 4_000
const MAX_VALUES = 16

/** The width from which the styles have room for the preview. */
const WIDE = '(width >= 64rem)'

/** The selected note or row, beside the results of the finder. Narrow screens read and show none. */
export function FinderPreview({ id }: { id: string | undefined }) {
  const [, kind, of = ''] = (matchMedia(WIDE).matches && /^(note|record)-(.*)/.exec(id ?? '')) || []
  return (
    <aside class="finder-preview" aria-label="Preview">
      {kind === 'note' && <NotePreview key={of} id={of} />}
      {kind === 'record' && <RowPreview key={of} id={of} />}
    </aside>
  )
}

function NotePreview({ id }: { id: string }) {
  const { data } = useQuery(['note tag', 'note', id], ({ signal }) =>
    api.get('/v1/notes/{id}', { params: { id }, signal }),
  )
  if (!data) return null
  const { title, tags, updated_at, content } = data.note
  const lines = content.slice(0, MAX_CHARACTERS).split('\n').slice(0, MAX_LINES)
  return (
    <>
      <h3 dir="auto">{title}</h3>
      <p class="meta">
        {tags.map((tag) => (
          <Tag key={tag} name={tag} />
        ))}
        <small>edited {shortTime(new Date(updated_at))}</small>
      </p>
      {lines.map((line, at) => (
        <Line key={at} text={line} />
      ))}
    </>
  )
}

/** A line of Markdown without its marks: delimiters of tables and code are left out. */
function Line({ text }: { text: string }) {
  const plain = withoutMarks(text.trim().startsWith('|') ? text.replaceAll('|', '  ') : text).trim()
  if (plain === '' || /^[-:\s]+$/.test(plain)) return null
  if (/^#{1,6} /.test(text)) return <h4 dir="auto">{plain}</h4>
  const isItem = /^\s*(?:[-*+]|\d+\.) /.test(text)
  return (
    <p class={isItem ? 'item' : undefined} dir="auto">
      {plain}
    </p>
  )
}

function RowPreview({ id }: { id: string }) {
  const { data } = useQuery(['record structure', 'found row', id], async ({ signal }) => {
    const { record, structure_id } = await api.get('/v1/records/{id}', { params: { id }, signal })
    const params = { nameOrId: structure_id }
    const { structure } = await api.get('/v1/records/structures/{nameOrId}', { params, signal })
    return { row: record as Row, structure: withValueTypes(structure) }
  })
  if (!data) return null
  const { row, structure } = data
  const filled = shownFields(structure).filter(({ key }) => row.data[key] !== undefined)
  return (
    <>
      <h3 dir="auto">{rowLabel(structure, row)}</h3>
      <p class="meta">
        <small>
          {structure.name}, edited {shortTime(new Date(row.updated_at))}
        </small>
      </p>
      <dl>
        {filled.slice(0, MAX_VALUES).map((field) => (
          <div key={field.key}>
            <dt>{field.label}</dt>
            <dd dir="auto">{valueText(field, row.data[field.key])}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
