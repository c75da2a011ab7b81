import type { SourceEventDetail } from '../../../data/sources.ts'

interface Line {
  readonly depth: number
  readonly name: string
  readonly value: unknown
  readonly entry: { readonly path?: string; readonly header?: string }
}

const MAX_LINES = 500

const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')

/** The values of an event, one per line; members of objects and lists follow their parent. */
export function linesOf(value: unknown, path = '', depth = 0, name = ''): Line[] {
  const lines: Line[] = name === '' && depth === 0 ? [] : [{ depth: depth - 1, name, value, entry: { path } }]
  if (typeof value !== 'object' || value === null) return lines
  for (const [key, member] of Object.entries(value)) {
    if (lines.length > MAX_LINES) break
    lines.push(...linesOf(member, `${path}/${escaped(key)}`, depth + 1, key))
  }
  return lines.slice(0, MAX_LINES)
}

const preview = (value: unknown): string => {
  if (Array.isArray(value)) return value.length === 0 ? '[ ]' : `[ ${value.length} ]`
  if (typeof value === 'object' && value !== null) return '{ }'
  const text = JSON.stringify(value) ?? ''
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** The parsed body: JSON, a form, or JSON in the form field `payload`; undefined for anything else. */
export function bodyValue({ body, headers }: SourceEventDetail): unknown {
  if (body === null) return undefined
  try {
    return JSON.parse(body)
  } catch {
    const type = headers.find(([name]) => name === 'content-type')?.[1] ?? ''
    if (!type.includes('form-urlencoded')) return undefined
    const form = Object.fromEntries(new URLSearchParams(body))
    try {
      return JSON.parse(form.payload ?? '')
    } catch {
      return form
    }
  }
}

/** Compares with `>=`: text that is not UTF-8 grows when it is decoded. */
const isWhole = ({ body, event }: SourceEventDetail) =>
  body !== null && new TextEncoder().encode(body).length >= event.size
const NOT_STORED = 'The body of this event is no longer stored in full.'

interface TreeProps {
  readonly detail: SourceEventDetail
  /** The labels of the fields mapped to an entry. */
  readonly usedBy: (entry: Line['entry']) => readonly string[]
  /** Undefined without write access. */
  readonly onPick: ((entry: Line['entry'], value: unknown) => void) | undefined
}

/** An event as a tree. Clicking a value maps it to the selected field. */
export function EventTree({ detail, usedBy, onPick }: TreeProps) {
  const value = bodyValue(detail)
  const lines = linesOf(value)
  const headers = detail.headers.map(
    ([name = '', text = '']): Line => ({ depth: 0, name, value: text, entry: { header: name } }),
  )
  if (!isWhole(detail)) return <p class="empty">{NOT_STORED} Send it again to map its values.</p>
  if (value === undefined) return <p class="empty">The body of this event is neither JSON nor form data.</p>
  return (
    <>
      <TreeLines label="Event body" lines={lines} usedBy={usedBy} onPick={onPick} />
      <details class="more">
        <summary>Headers</summary>
        <TreeLines label="Event headers" lines={headers} usedBy={usedBy} onPick={onPick} />
      </details>
    </>
  )
}

const TreeLines = ({
  label,
  lines,
  usedBy,
  onPick,
}: Omit<TreeProps, 'detail'> & { label: string; lines: Line[] }) => (
  <ul class="event-tree" aria-label={label}>
    {lines.map(({ depth, name, value, entry }) => {
      const users = usedBy(entry)
      const text = (
        <>
          <span class="code key">{name}</span> <span class="code cut">{preview(value)}</span>
          <span class="grow" />
          {users.map((user) => (
            <span key={user} class="status ok">
              {user}
            </span>
          ))}
        </>
      )
      return (
        <li key={entry.path ?? entry.header} style={{ paddingInlineStart: `${depth}rem` }}>
          {onPick ? (
            <button type="button" class="tree-line" onClick={() => onPick(entry, value)}>
              {text}
            </button>
          ) : (
            <span class="tree-line">{text}</span>
          )}
        </li>
      )
    })}
  </ul>
)
