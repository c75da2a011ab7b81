import { useId, useState } from 'preact/hooks'
import { defaultTemplate, filled } from '../../../lib/template.ts'
import { Code } from '../../components/code.tsx'
import { ErrorText } from '../../components/form.tsx'
import type { Webhook, WebhookKind } from '../../data/webhooks.ts'

type Format = NonNullable<Webhook['format']>

const FORMATS: readonly (readonly [Format, string])[] = [
  ['json', 'JSON, with all that changed'],
  ['slack', 'Slack'],
  ['discord', 'Discord'],
  ['ntfy', 'ntfy'],
  ['text', 'Plain text'],
]

interface FormatProps {
  readonly kind: WebhookKind
  readonly structure:
    | {
        readonly name: string
        readonly label_field: string | null
        readonly fields: readonly { readonly key: string; readonly label: string }[]
      }
    | undefined
  readonly webhook: Webhook | undefined
  readonly error: string | undefined
}

/** What a hole holds in the example. */
function exampleOf({ kind, structure }: FormatProps, hole: string): string {
  if (hole === 'event') return `${kind}.updated`
  if (hole === 'structure') return structure?.name ?? ''
  if (hole === 'note.title') return 'Meeting with Ada'
  if (hole === 'file.file_name') return 'handbook.pdf'
  if (hole === 'changed') return kind === 'record' ? (structure?.fields[0]?.key ?? '') : 'title'
  const field = structure?.fields.find(({ key }) => `record.${key}` === hole)
  return field ? `‹${field.label || field.key}›` : `{${hole}}`
}

const bodyOf = (format: Format, text: string): string => {
  if (format === 'slack') return JSON.stringify({ text }, null, 2)
  return format === 'discord'
    ? JSON.stringify({ content: text, allowed_mentions: { parse: [] } }, null, 2)
    : text
}

/** The form of what is sent; a text with holes where it is not JSON, and what becomes of it. */
export function FormatField(props: FormatProps) {
  const { kind, structure, webhook, error } = props
  const [format, setFormat] = useState<Format>(webhook?.format ?? 'json')
  const [template, setTemplate] = useState(webhook?.template ?? '')
  const id = useId()
  const usual = defaultTemplate(kind, structure?.label_field ?? null)
  const holes = [
    ...['event', 'structure', 'changed'].filter((hole) => kind === 'record' || hole !== 'structure'),
    ...(kind === 'record' ? (structure?.fields.map(({ key }) => `record.${key}`) ?? []) : []),
    ...(kind === 'note' ? ['note.title'] : []),
    ...(kind === 'file' ? ['file.file_name'] : []),
  ]
  return (
    <>
      <p class="field">
        <label for={`${id}-format`}>Sent as</label>
        <select
          class="input"
          id={`${id}-format`}
          name="format"
          value={format}
          onChange={({ currentTarget }) => setFormat(currentTarget.value as Format)}
        >
          {FORMATS.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </p>
      {format !== 'json' && (
        <>
          <div class="field">
            <label for={`${id}-template`}>Text (left empty: {usual})</label>
            <textarea
              class="input"
              id={`${id}-template`}
              name="template"
              rows={3}
              value={template}
              aria-invalid={error !== undefined}
              aria-describedby={`${id}-holes`}
              onInput={({ currentTarget }) => setTemplate(currentTarget.value)}
            />
            <p class="dim" id={`${id}-holes`}>
              {holes.map((hole) => `{${hole}}`).join(' ')}
            </p>
            {error && <ErrorText>{error}</ErrorText>}
          </div>
          <div class="field">
            <span class="label">What is sent, for example</span>
            <Code
              label="What is sent, for example"
              text={bodyOf(
                format,
                filled(template || usual, (hole) => exampleOf(props, hole)),
              )}
            />
          </div>
        </>
      )}
    </>
  )
}

/** What the form says of it; null for what is usual. */
export const formatOf = (data: FormData): { format: Format | null; template: string | null } => ({
  format: data.get('format') === 'json' ? null : (String(data.get('format')) as Format),
  template: String(data.get('template') ?? '') || null,
})
